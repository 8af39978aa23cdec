export function register(runtime) {
  runtime.registerFilter("posterize", (bitmap, params) => {
    const step = 255 / (Math.max(2, params.levels ?? 4) - 1);
    for (let i = 0; i < bitmap.data.length; i++) {
      if (i % 4 !== 3) bitmap.data[i] = Math.round(Math.round(bitmap.data[i] / step) * step);
    }
    return bitmap;
  });
}
