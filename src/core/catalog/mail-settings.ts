/** How the gateway sends mail (docs/configuration.md Mail). */
export interface MailSettings {
  /** The sender, as a mail's header has it: `Camino <gateway@example.com>`. */
  readonly from: string;
  /** The server: `smtp://` or `smtps://`, with the name and password where it asks for them. */
  readonly smtp: string;
  /** Where browsers find the gateway, for the links in mails: never what a request names (docs/rulings.md 225). */
  readonly origin: string;
}
