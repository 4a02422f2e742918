import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { unpackChromium } from "../../support/chromium.ts";

const PER_SHEET = 15;
const COLUMNS = 5;

/** Sheets of the pictures in a folder, a few for each size and scheme: `sheet.SIZE.SCHEME.N.png`. */
export async function writeSheets(folder: string, sizes: readonly string[], schemes: readonly string[]): Promise<void> {
  const { executable, fonts_file } = await unpackChromium();
  const env = { PATH: process.env.PATH ?? "", FONTCONFIG_FILE: fonts_file };
  const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox", "--disable-gpu"], env });
  try {
    const page = await browser.newPage({ viewport: { width: 2000, height: 1400 } });
    const files = (await readdir(folder)).toSorted();
    for (const size of sizes)
      for (const scheme of schemes) {
        const pictures = files.filter((file) => file.endsWith(`.${size}.${scheme}.png`));
        for (let first = 0; first < pictures.length; first += PER_SHEET) {
          const figures = pictures
            .slice(first, first + PER_SHEET)
            .map(figureOf)
            .join("");
          const html = `<style>body{margin:8px;display:grid;grid-template-columns:repeat(${COLUMNS},1fr);gap:8px;background:#888;font:13px sans-serif}
            figure{margin:0}div{height:430px;overflow:hidden}img{width:100%;display:block}</style>${figures}`;
          await Bun.write(join(folder, "sheet.html"), html);
          await page.goto(`file://${join(folder, "sheet.html")}`);
          const number = first / PER_SHEET + 1;
          await page.screenshot({ path: join(folder, `sheet.${size}.${scheme}.${number}.png`), fullPage: true });
        }
      }
  } finally {
    await browser.close();
  }
}

function figureOf(file: string): string {
  return `<figure>${file.split(".")[0]}<div><img src="${file}"></div></figure>`;
}
