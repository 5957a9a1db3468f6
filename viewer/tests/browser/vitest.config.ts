import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/browser/**/*.test.ts'],
    // One browser at a time: the tests measure, and software rendering wants the whole machine.
    fileParallelism: false,
    testTimeout: 180_000,
    expect: { poll: { timeout: 10_000, interval: 50 } },
    hookTimeout: 60_000,
  },
});
