/**
 * The program of the executable file that suites start (scripts/build-test-gateway.ts): `camino`, or one of the suites' own gateways, whose short times no
 * setting can make, where the first word names it (`programCommand` in camino-command.ts).
 */
const PROGRAMS: Readonly<Record<string, () => Promise<unknown>>> = {
  "eager-gateway": () => import("./gateways/eager-gateway.ts"),
  "impatient-gateway": () => import("./gateways/impatient-gateway.ts"),
  "hurried-gateway": () => import("./gateways/hurried-gateway.ts"),
  "beating-gateway": () => import("./gateways/beating-gateway.ts"),
};

const program = PROGRAMS[process.argv[2] ?? ""];
if (program === undefined) {
  await import("../../src/main.ts");
} else {
  process.argv.splice(2, 1);
  await program();
}
