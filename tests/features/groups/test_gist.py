"""GIST against direct filtering of one whole image with the published bank."""

import numpy as np
import pytest

from segboost.features.groups.gist import gabor_bank, gabor_energies, gist_patches, gist_response


def published_bank(n):
    """The transfer functions of Oliva and Torralba for an n×n image, shape (32, n, n)."""
    fx, fy = np.meshgrid(np.arange(-n // 2, n // 2), np.arange(-n // 2, n // 2))
    radius = np.fft.fftshift(np.hypot(fx, fy))
    angle = np.fft.fftshift(np.angle(fx + 1j * fy))
    bank = []
    for i in range(4):
        for j in range(8):
            turned = angle + np.pi / 8 * j
            turned = turned + 2 * np.pi * (turned < -np.pi) - 2 * np.pi * (turned > np.pi)
            sharpness, frequency, spread = 0.35, 0.3 / 1.85**i, 16 * 8**2 / 32**2
            bank.append(
                np.exp(
                    -10 * sharpness * (radius / n / frequency - 1) ** 2
                    - 2 * spread * np.pi * turned**2
                )
            )
    return np.array(bank)


def direct_gist(image, border):
    """Filter a square image as a whole: pad, whiten, 32 products, moduli, 4×4 block means."""
    side = image.shape[0]
    padded = np.pad(np.log(image.astype(float) + 1), border, mode="symmetric")
    n = padded.shape[0]
    fx, fy = np.meshgrid(np.arange(-n // 2, n // 2), np.arange(-n // 2, n // 2))
    cycles = 4 * n / 256  # four cycles per 256 pixels
    low = np.fft.fftshift(np.exp(-(fx**2 + fy**2) / (cycles / np.sqrt(np.log(2))) ** 2))
    detail = padded - np.fft.ifft2(np.fft.fft2(padded) * low).real
    local = np.sqrt(abs(np.fft.ifft2(np.fft.fft2(detail**2) * low)))
    spectrum = np.fft.fft2(detail / (0.2 + local))
    moduli = abs(np.fft.ifft2(spectrum * published_bank(n)))[:, border:-border, border:-border]
    blocks = moduli.reshape(32, 4, side // 4, 4, side // 4).mean(axis=(2, 4))
    return np.moveaxis(blocks, 0, 2)


@pytest.mark.parametrize(
    ("smallest", "steps", "tolerance"), [(4, (1, 1), 1e-3), (32, (2, 2), 4e-3), (64, (2, 4), 8e-3)]
)
def test_whole_image_equals_direct_filtering(grey, smallest, steps, tolerance):
    image = grey[50:178, 60:188]
    # As the response pads: half a patch and the support of the coarsest filter.
    wanted = direct_gist(image, 64 + 32)
    response = gist_response(image, 128, smallest)
    assert response.steps == steps
    found = gist_patches(response, np.array([[64, 64]]), 128).reshape(4, 4, 32)
    np.testing.assert_allclose(found, wanted, atol=tolerance * wanted.max())
    assert np.corrcoef(found.ravel(), wanted.ravel())[0, 1] > 0.9995


def test_samples_are_those_of_the_full_grid(grey):
    spectrum = np.fft.fft2(grey[:96, :128] / 255).astype(np.complex64)
    bank = gabor_bank(96, 128)
    full = gabor_energies(spectrum, bank, 1)
    for step in (2, 4):
        np.testing.assert_allclose(
            gabor_energies(spectrum, bank, step), full[:, ::step, ::step], atol=1e-5
        )


def test_orientation_and_scale_of_a_grating():
    x = np.indices((128, 128))[1]
    grating = (127 + 60 * np.sin(2 * np.pi * 0.3 / 1.85 * x)).astype(np.float32)
    values = gist_patches(gist_response(grating, 64, 64), np.array([[64, 64]]), 64)
    mean = values.reshape(16, 4, 8).mean(axis=0)
    assert np.unravel_index(mean.argmax(), mean.shape) == (1, 0)
    turned = gist_patches(gist_response(grating.T.copy(), 64, 64), np.array([[64, 64]]), 64)
    mean = turned.reshape(16, 4, 8).mean(axis=0)
    assert np.unravel_index(mean.argmax(), mean.shape) == (1, 4)
