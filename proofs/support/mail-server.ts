import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";

/** A mail as the server took it. */
export interface TakenMail {
  readonly to: readonly string[];
  /** The whole message, with what is quoted-printable decoded. */
  readonly text: string;
  readonly message_id: string;
  /** Whether it came within TLS. */
  readonly is_secure: boolean;
  /** The first link to the console's sign-in page. */
  readonly link: string;
}

export interface MailServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly mails: TakenMail[];
  /** How each name and password came: `within TLS` or `in the clear`. */
  readonly logins: readonly string[];
  /** Resolves with the mail to an address that comes next, or has come and was not asked for yet. */
  next(to: string): Promise<TakenMail>;
  /** What it does with the next mails. */
  behave(how: Behavior): void;
}

/**
 * It `takes` all but letters to `no-such-user@…`; is busy, and refuses every letter for now; is full, and takes no sender's; or is slow, and says
 * nothing after a letter came.
 */
export type Behavior = "takes" | "busy" | "full" | "slow";

export interface MailServerOptions {
  readonly port?: number;
  /** TLS from the first byte, or once the client asks for it. Default: none. */
  readonly tls?: "implicit" | "starttls";
  /** One of `proofs/fixtures/tls`, for `localhost`. */
  readonly certificate?: string;
}

const CERTIFICATES = join(import.meta.dir, "../fixtures/tls");

const LOGIN = { user: "gateway", password: "s3cret canary" };

/** A real SMTP server, on a port of this machine, for one name and password. */
export async function startMailServer({
  port = 0,
  tls,
  certificate = "good",
}: MailServerOptions = {}): Promise<MailServer> {
  const mails: TakenMail[] = [];
  const logins: string[] = [];
  let behavior: Behavior = "takes";
  const asked = new Map<string, number>();
  const server = new SMTPServer({
    allowInsecureAuth: tls === undefined,
    secure: tls === "implicit",
    ...(tls === undefined ? { disabledCommands: ["STARTTLS"] } : identityOf(certificate)),
    onAuth({ username, password }, { secure }, done) {
      logins.push(secure ? "within TLS" : "in the clear");
      if (username !== LOGIN.user || password !== LOGIN.password) return done(new Error("no"));
      done(null, { user: username });
    },
    onMailFrom: (_address, _session, done) =>
      behavior === "full" ? done(Object.assign(new Error("full"), { responseCode: 452 })) : done(),
    onRcptTo({ address }, _session, done) {
      if (!address.startsWith("no-such-user@")) return done();
      done(Object.assign(new Error("no such user"), { responseCode: 550 }));
    },
    onData(stream, { envelope, secure: is_secure }, done) {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("end", () => {
        if (behavior === "slow") return;
        if (behavior === "busy") {
          return done(Object.assign(new Error("busy"), { responseCode: 451 }));
        }
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ ...readMail(to, Buffer.concat(pieces).toString()), is_secure });
        done();
      });
    },
  });
  // Clients that turn away from a certificate are such errors.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.server.address();
  const bound = typeof address === "object" && address !== null ? address.port : 0;
  const made: MailServer = {
    url: `${tls === "implicit" ? "smtps" : "smtp"}://${LOGIN.user}:${encodeURIComponent(LOGIN.password)}@${tls === undefined ? "127.0.0.1" : "localhost"}:${bound}`,
    port: bound,
    ...{ mails, logins },
    behave: (how) => {
      behavior = how;
    },
    async next(to) {
      const seen = asked.get(to) ?? 0;
      asked.set(to, seen + 1);
      for (;;) {
        const found = mails.filter((mail) => mail.to.includes(to))[seen];
        if (found !== undefined) return found;
        await Bun.sleep(20);
      }
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  return made;
}

function identityOf(certificate: string) {
  const file = (name: string) => readFileSync(join(CERTIFICATES, name));
  return { key: file(`${certificate}.key.pem`), cert: file(`${certificate}.pem`) };
}

function readMail(to: readonly string[], raw: string): Omit<TakenMail, "is_secure"> {
  const joined = raw.replace(/=\r?\n/g, "");
  const text = joined.replace(/(?:=[0-9A-F]{2})+/g, (bytes) =>
    Buffer.from(bytes.replaceAll("=", ""), "hex").toString(),
  );
  return {
    to,
    text,
    message_id: /^message-id: (.*)$/im.exec(text)?.[1]?.trim() ?? "",
    link: /https?:\/\/\S+\/console\/sign-in#token=[0-9a-f]{64}/.exec(text)?.[0] ?? "",
  };
}
