import { describe, expect, test } from "bun:test";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { CreatedInvitation } from "../../../contract/users.ts";
import { startGateway } from "../../support/gateway.ts";
import { type MailServerOptions, startMailServer } from "../../support/mail-server.ts";

/** Mail over TLS: the runtime reads its trusted certificates when a process starts, so that each try has a process of its own. */

const FIXTURES = join(import.meta.dir, "../../fixtures/tls");
const TRUSTED = { NODE_EXTRA_CA_CERTS: join(FIXTURES, "ca.pem") };

const SENDER = `
  const { SmtpServer } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/mail/smtp-server.ts"))});
  const letter = { to: "me@example.com", subject: "s", text: "t", html: "<p>t</p>" };
  const settings = { from: "gateway@example.com", origin: "http://models.example.com", smtp: process.env.SMTP };
  const said = await new SmtpServer(settings).send(letter, "id").then(() => "taken", ({ message }) => message);
  console.log(JSON.stringify(said));
  process.exit(0);
`;

/** What becomes of a letter that is sent to a mail server's address. */
async function send(smtp: string): Promise<string> {
  const { PATH = "" } = process.env;
  const env = { PATH, SMTP: smtp, ...TRUSTED };
  const child = Bun.spawn([process.execPath, "-e", SENDER], { env, stdout: "pipe", stderr: "inherit" });
  return JSON.parse(await child.stdout.text()) as string;
}

describe.each(["implicit", "starttls"] as const)("a mail server with TLS (%s)", (tls) => {
  test.each([
    ["good", "taken"],
    ["other-host", "its certificate is for another name or address"],
    ["expired", "its certificate has expired"],
    ["unknown-ca", "its certificate is of an unknown authority"],
    ["self-signed", "its certificate is of an unknown authority"],
  ])("whose certificate is '%s': %s", async (certificate, said) => {
    await using server = await startMailServer({ tls, certificate });
    expect(await send(server.url)).toContain(said);
    expect(server.mails.map(({ is_secure }) => is_secure)).toEqual(said === "taken" ? [true] : []);
    expect(server.logins).toEqual(said === "taken" ? ["within TLS"] : []);
  });
});

describe("a password", () => {
  test("goes to no other machine in the clear, whatever the server offers", async () => {
    await using server = await startMailServer();
    expect(await send(server.url.replace("127.0.0.1", "0.0.0.0"))).toContain(
      "no secure connection to it could be made",
    );
    expect([server.logins, server.mails]).toEqual([[], []]);
  });

  test("that is wrong is refused, and said to be", async () => {
    await using server = await startMailServer({ tls: "implicit" });
    expect(await send(server.url.replace("gateway:", "stranger:"))).toContain("it refuses the name and password (535)");
  });
});

describe("a mail server", () => {
  const AWAY: readonly [what: string, options: MailServerOptions | null, scheme: string, said: string][] = [
    ["that is away", null, "smtp", "nothing answers at its address and port"],
    ["that speaks no TLS where that is asked for", {}, "smtps", "no secure connection to it could be made"],
  ];
  test.each(AWAY)("%s cannot be used", async (_what, options, scheme, said) => {
    await using server = await startMailServer(options ?? {});
    const url = new URL(server.url.replace("smtp:", `${scheme}:`));
    if (options === null) url.port = "1";
    expect(await send(url.href)).toContain(said);
  });

  test("that says nothing is left after ten seconds", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    expect(await send(`smtp://127.0.0.1:${port}`)).toContain("it does not answer in time");
    silent.close();
  }, 30_000);

  test.each([
    ["full", "it takes no letter from this sender (452)"],
    ["busy", "refuses the letter (DATA: 451)"],
  ] as const)("that is %s says so: %s", async (behavior, said) => {
    await using server = await startMailServer({ tls: "starttls" });
    server.behave(behavior);
    expect(await send(server.url)).toContain(said);
  });
});

test("a gateway invites over TLS, goes on where the server is full, and sends what waited once it has room", async () => {
  await using server = await startMailServer({ tls: "implicit" });
  const config = `console: { public_url: "http://models.example.com" }\nvendors: { sim: {} }\n`;
  await using gateway = await startGateway({ config, env: { CAMINO_SMTP_URL: server.url, ...TRUSTED } });
  const invite = (email: string) => gateway.admin<CreatedInvitation>("POST", "/invitations", { email });
  const first = await invite("first@example.com");
  expect(await server.next("first@example.com")).toMatchObject({ link: first.link, is_secure: true });
  server.behave("full");
  const second = await invite("second@example.com");
  expect(second.mailed).toBe(true);
  while (!gateway.log().includes("452")) await Bun.sleep(20);
  server.behave("takes");
  expect(await server.next("second@example.com")).toMatchObject({ link: second.link, is_secure: true });
}, 90_000);
