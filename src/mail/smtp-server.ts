import type { createTransport } from "nodemailer";
import type { MailSettings } from "../core/catalog/mail-settings.ts";
import { certificateProblem } from "../wire/client/upstream-error.ts";
import type { Letter } from "./write-letter.ts";

const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;
/** A server that answers each command slowly is left after this, too: far less than a mail's lease. */
const TOTAL_MS = 60_000;

/** Why a letter was not taken, in a few words that have no address and no password. */
export class MailError extends Error {
  override readonly name = "MailError";
  /** Whether the server refused this letter for good: another try would be refused as well. */
  readonly is_final: boolean;
  /** Whether the server was not reached, or let nobody in: other letters would fare alike. */
  readonly is_of_server: boolean;

  constructor(message: string, kind: { readonly is_final: boolean; readonly is_of_server: boolean }) {
    super(message);
    this.is_final = kind.is_final;
    this.is_of_server = kind.is_of_server;
  }
}

type Transport = ReturnType<typeof createTransport>;

/** The mail server. Its library is loaded when the first letter is sent, and each letter has a connection of its own. */
export class SmtpServer {
  readonly #settings: MailSettings;
  readonly #stopped = new AbortController();
  #transport: Transport | null = null;

  constructor(settings: MailSettings) {
    this.#settings = settings;
  }

  /** Resolves when the server has taken the letter. Rejects with a MailError. `id` makes its Message-ID: a letter that is sent twice has one. */
  async send(letter: Letter, id: string): Promise<void> {
    const { from, origin } = this.#settings;
    const { to, subject, text, html } = letter;
    // Another address than exactly this one would be a second recipient: the library reads lists.
    const recipient = { name: "", address: to };
    const mail = { from, to: recipient, subject, text, html, messageId: `<${id}@${new URL(origin).hostname}>` };
    const headers = { "auto-submitted": "auto-generated" };
    await this.#within((transport, signal) => transport.sendMail({ ...mail, headers, signal }));
  }

  /** Resolves when the server lets the gateway in. Rejects with a MailError. Sends nothing. */
  async verify(): Promise<void> {
    await this.#within((transport) => transport.verify());
  }

  /** Ends what is under way, and takes nothing more. */
  stop(): void {
    this.#stopped.abort();
  }

  async #within(work: (transport: Transport, signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(TOTAL_MS)]);
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => reject(Object.assign(new Error("ended"), { code: "ETIMEDOUT" }));
    signal.addEventListener("abort", onAbort);
    try {
      if (signal.aborted) onAbort();
      await Promise.race([ended, work(await this.#open(), signal)]);
    } catch (thrown) {
      throw mailError(thrown);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #open(): Promise<Transport> {
    if (this.#transport !== null) return this.#transport;
    const { createTransport: create } = await import("nodemailer");
    this.#transport = create({
      ...serverOf(this.#settings.smtp),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      dnsTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return this.#transport;
  }
}

/** The server's options. A password goes nowhere in the clear but to this machine; without one TLS is used where the server offers it. */
function serverOf(smtp: string) {
  const url = new URL(smtp);
  const secure = url.protocol === "smtps:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const has_login = url.username !== "";
  const is_local = /^(localhost|127\.[\d.]+|::1)$/.test(host);
  return {
    host,
    port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && has_login && !is_local,
    ...(has_login && { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
  };
}

const WORDS: Readonly<Record<string, string>> = {
  ETIMEDOUT: "it does not answer in time",
  ECONNREFUSED: "nothing answers at its address and port",
  EDNS: "its name is not known",
  EAUTH: "it refuses the name and password",
  ENOAUTH: "it asks for a name and a password",
  EENVELOPE: "it takes no letter from this sender",
  ETLS: "no secure connection to it could be made",
};

interface SmtpFailure {
  readonly code?: string;
  /** The system's or TLS's own code, where the library has put another in its place. */
  readonly originalCode?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

function mailError(thrown: unknown): MailError {
  const failure = thrown as SmtpFailure;
  const { command = "", responseCode: status } = failure;
  const is_of_letter = /^(RCPT TO|DATA)/.test(command) && status !== undefined;
  const kind = { is_final: is_of_letter && status >= 500, is_of_server: !is_of_letter };
  if (is_of_letter)
    return new MailError(`the mail server refuses the letter (${command.split(" ")[0]}: ${status})`, kind);
  const said = status === undefined ? "" : ` (${status})`;
  return new MailError(`the mail server cannot be used: ${wordsOf(failure)}${said}`, kind);
}

function wordsOf({ code = "", originalCode = code }: SmtpFailure): string {
  const words = certificateProblem(originalCode) ?? WORDS[originalCode] ?? WORDS[code];
  if (words !== undefined) return words;
  if (/SSL|TLS/.test(originalCode)) return `${WORDS.ETLS}, ${originalCode}`;
  return originalCode || "the connection broke";
}
