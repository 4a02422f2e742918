/** The platforms that Camino runs on, by the names of Bun's packages on npm: `@oven/bun-PLATFORM` has the runtime for one, and no install script. */
export const PLATFORMS = [
  "linux-x64",
  "linux-x64-musl",
  "linux-aarch64",
  "linux-aarch64-musl",
  "darwin-aarch64",
  "darwin-x64",
] as const;
export type Platform = (typeof PLATFORMS)[number];
