/** Waits until the gateway at CAMINO_URL serves; ends with 1 when its process, whose number is given, has ended before. */

const pid = Number(process.argv[2]);

async function serves(): Promise<boolean> {
  try {
    return (await fetch(`${process.env.CAMINO_URL}/readyz`)).ok;
  } catch {
    return false;
  }
}

function runs(): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

while (!(await serves())) {
  if (!runs()) {
    console.error(
      await Bun.file(`${process.env.STAGE}/log`).text(),
      await Bun.file(`${process.env.STAGE}/served`).text(),
    );
    process.exit(1);
  }
  await Bun.sleep(50);
}
process.exit(0);
