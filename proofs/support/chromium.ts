import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";

const MODULES = join(import.meta.dir, "../../node_modules");
const CACHE = join(MODULES, ".cache");

/** Where the browser from npm was unpacked. */
export interface Chromium {
  readonly executable: string;
  /** The font configuration for its environment: fonts come with it, so that pages look alike on every machine. */
  readonly fonts_file: string;
}

/**
 * Unpacks the browser of @sparticuz/chromium once per version (a second) and says where it is. The package itself unpacks
 * to fixed names in the temporary directory, half of which a second test process would take for the whole. So it
 * unpacks into a scratch directory, which is then renamed in one step.
 */
export async function unpackChromium(): Promise<Chromium> {
  const { version } = (await Bun.file(join(MODULES, "@sparticuz/chromium/package.json")).json()) as { version: string };
  const folder = join(CACHE, `chromium-${version}`);
  const chromium = { executable: join(folder, "chromium"), fonts_file: join(folder, "fonts.conf") };
  if (await Bun.file(chromium.fonts_file).exists()) return chromium;
  await mkdir(CACHE, { recursive: true });
  const scratch = await mkdtemp(join(CACHE, "unpacking-"));
  const program = "const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath();";
  const child = Bun.spawn([process.execPath, "-e", program], {
    cwd: import.meta.dir,
    env: { ...process.env, TMPDIR: scratch },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  if ((await child.exited) !== 0) throw new Error(`the browser could not be unpacked:\n${await child.stderr.text()}`);
  await Bun.write(join(scratch, "fonts.conf"), fontsFile(folder));
  // Another process may have been faster; then its browser is used.
  await rename(scratch, folder).catch(() => rm(scratch, { recursive: true, force: true }));
  return chromium;
}

function fontsFile(folder: string): string {
  const prefer = (family: string, fonts: readonly string[]) =>
    `<alias binding="strong"><family>${family}</family><prefer>${fonts.map((font) => `<family>${font}</family>`).join("")}</prefer></alias>`;
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
  ${prefer("system-ui", ["Open Sans"])}
  ${prefer("ui-sans-serif", ["Open Sans"])}
  ${prefer("sans-serif", ["Open Sans"])}
  ${prefer("ui-monospace", ["DejaVu Sans Mono", "Liberation Mono"])}
  ${prefer("monospace", ["DejaVu Sans Mono", "Liberation Mono"])}
</fontconfig>
`;
}
