import { SMTPServer } from "smtp-server";

/** A mail as the server took it. */
export interface TakenMail {
  readonly to: readonly string[];
  /** The whole message, with what is quoted-printable decoded. */
  readonly text: string;
  readonly message_id: string;
  /** The first link to the console's sign-in page. */
  readonly link: string;
}

export interface MailServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly mails: TakenMail[];
  /** Resolves with the mail to an address that comes next, or has come and was not asked for yet. */
  next(to: string): Promise<TakenMail>;
  /** What it does with the next mails. */
  behave(how: Behavior): void;
}

/** It `takes` all but letters to `no-such-user@…`; is busy, and refuses every letter for now; or is slow, and says nothing after a letter came. */
export type Behavior = "takes" | "busy" | "slow";

const LOGIN = { user: "gateway", password: "s3cret canary" };

/** A real SMTP server, on a port of this machine, for one name and password. */
export async function startMailServer(port = 0): Promise<MailServer> {
  const mails: TakenMail[] = [];
  let behavior: Behavior = "takes";
  const asked = new Map<string, number>();
  const server = new SMTPServer({
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username, password }, _session, done) =>
      username === LOGIN.user && password === LOGIN.password ? done(null, { user: username }) : done(new Error("no")),
    onRcptTo({ address }, _session, done) {
      if (!address.startsWith("no-such-user@")) return done();
      done(Object.assign(new Error("no such user"), { responseCode: 550 }));
    },
    onData(stream, { envelope }, done) {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("end", () => {
        if (behavior === "slow") return;
        if (behavior === "busy") {
          return done(Object.assign(new Error("busy"), { responseCode: 451 }));
        }
        mails.push(
          readMail(
            envelope.rcptTo.map(({ address }) => address),
            Buffer.concat(pieces).toString(),
          ),
        );
        done();
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.server.address();
  const bound = typeof address === "object" && address !== null ? address.port : 0;
  const made: MailServer = {
    url: `smtp://${LOGIN.user}:${encodeURIComponent(LOGIN.password)}@127.0.0.1:${bound}`,
    port: bound,
    mails,
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

function readMail(to: readonly string[], raw: string): TakenMail {
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
