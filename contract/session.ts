import Type, { type Static } from "typebox";
import { AccountRole, Currency, closed, listOf, Micro, oneOf, orNull, Timestamp } from "./common.ts";

/**
 * Signing in to the console. A browser that is signed in sends the cookie `camino_session_MARK`, and on everything but GET and
 * HEAD the header `x-camino-csrf` with the session's `csrf_token`.
 */

export const Role = oneOf(["administrator", "member"]);
export type Role = Static<typeof Role>;

export const Email = Type.String({
  pattern: "^[^\\s@]+@[^\\s@]+$",
  maxLength: 254,
  description: "an e-mail address",
});

export const MIN_PASSWORD_LENGTH = 10;
export const MAX_PASSWORD_LENGTH = 256;

export const NewPassword = Type.String({
  minLength: MIN_PASSWORD_LENGTH,
  maxLength: MAX_PASSWORD_LENGTH,
  description: `a password of ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
});

export const PersonName = Type.String({ maxLength: 200, description: "a text of at most 200 characters" });

/** The signed-in user, as the user sees itself. */
export const SessionUser = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: Role,
  /** The account that the console shows first. */
  account_id: Type.String(),
  /** The accounts that the user belongs to. */
  accounts: Type.Array(
    Type.Object({
      id: Type.String(),
      email: Type.String(),
      name: Type.String(),
      role: AccountRole,
      /** The project that the user's new keys go into where nothing else is chosen; null for none. */
      project: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
    }),
  ),
  has_password: Type.Boolean(),
  /** How many passkeys the user has. */
  passkeys: Type.Integer(),
  /** The ids of the OpenID Connect providers that the user can sign in with. */
  identities: Type.Array(Type.String()),
});
export type SessionUser = Static<typeof SessionUser>;

/** Answer to `GET /session` and to every successful sign-in, which also sets the cookie. */
export const Session = Type.Object({ user: SessionUser, csrf_token: Type.String(), expires_at: Timestamp });
export type Session = Static<typeof Session>;

/** Answer to `GET /session/methods`, which anybody may call. */
export const SignInMethods = Type.Object({
  password: Type.Boolean(),
  /** False where the console is open at a bare IP address: browsers have passkeys for host names only. */
  passkeys: Type.Boolean(),
  oidc: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  /** Whom to ask for credit and for a way in, as the operator says it; null where they say nothing. */
  contact: orNull(Type.String()),
  /** Whether the gateway sends mail: who forgot a password asks for a link. */
  mail: Type.Boolean(),
  currency: Currency,
  version: Type.String(),
  /** Whether the documents' pages are built, and served under /docs/guide/. */
  guide: Type.Boolean(),
});
export type SignInMethods = Static<typeof SignInMethods>;

export const PasswordSignIn = closed({
  email: Type.String({ minLength: 1, maxLength: 254, description: "an e-mail address" }),
  password: Type.String({ minLength: 1, maxLength: 1024, description: "a password" }),
});
export type PasswordSignIn = Static<typeof PasswordSignIn>;

const LinkToken = Type.String({ minLength: 1, maxLength: 200, description: "the token of a sign-in link" });

/** Asks for a link to set a new password, for the user with this e-mail. */
export const AskForReset = closed({ email: Email });
export type AskForReset = Static<typeof AskForReset>;

/** Answer to `POST /session/password-reset`: the same whether or not there is such a user. */
export const AskedForReset = Type.Object({ asked: Type.Literal(true) });
export type AskedForReset = Static<typeof AskedForReset>;

export const LinkPurpose = Type.Enum(["first-administrator", "invitation", "password-reset"]);
export type LinkPurpose = Static<typeof LinkPurpose>;

export const LookAtLink = closed({ token: LinkToken });
export type LookAtLink = Static<typeof LookAtLink>;

/** A link's purpose, read without using the link. */
export const LinkLook = Type.Object({
  purpose: LinkPurpose,
  /** The e-mail that the link is for; null for the first administrator, who has no e-mail yet. */
  email: orNull(Type.String()),
  role: Role,
  /** The account that an invitation is for; null where it is one of the person's own, or the link is no invitation. */
  account: orNull(
    Type.Object({
      name: Type.String(),
      role: orNull(AccountRole),
      /** The name of the project that their keys will go into; null for none. */
      project: orNull(Type.String()),
    }),
  ),
  /** Whether there is a user with the e-mail, who signs in and then joins the account. */
  has_user: Type.Boolean(),
  /** The credit that an invitation brings to its account; null for none. */
  credit_micro: orNull(Micro),
  currency: Currency,
  expires_at: Timestamp,
});
export type LinkLook = Static<typeof LinkLook>;

/** Uses a link. `name` and `password` are for invitations; `password` also for a reset. */
export const LinkSignIn = closed({
  token: LinkToken,
  name: Type.Optional(PersonName),
  password: Type.Optional(NewPassword),
});
export type LinkSignIn = Static<typeof LinkSignIn>;

export const LinkSession = Type.Object({ ...Session.properties, purpose: LinkPurpose });
export type LinkSession = Static<typeof LinkSession>;

/** WebAuthn's own JSON (`PublicKeyCredentialRequestOptionsJSON` or `…CreationOptionsJSON`): for the browser. */
export const PasskeyOptions = Type.Object({
  challenge_id: Type.String(),
  options: Type.Record(Type.String(), Type.Unknown()),
});
export type PasskeyOptions = Static<typeof PasskeyOptions>;

const PasskeyAnswer = Type.Record(Type.String(), Type.Unknown(), { description: "what the browser answered" });
const ChallengeId = Type.String({ minLength: 1, maxLength: 2000, description: "the challenge_id of the options" });

export const PasskeySignIn = closed({ challenge_id: ChallengeId, response: PasskeyAnswer });
export type PasskeySignIn = Static<typeof PasskeySignIn>;

export const AddPasskey = closed({
  challenge_id: ChallengeId,
  name: Type.Optional(PersonName),
  response: PasskeyAnswer,
});
export type AddPasskey = Static<typeof AddPasskey>;

export const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  created_at: Timestamp,
  last_used_at: orNull(Timestamp),
  /** Whether the passkey is kept in its maker's cloud, and so available on more than one device. */
  backed_up: Type.Boolean(),
});
export type Passkey = Static<typeof Passkey>;
export const PasskeyList = listOf(Passkey);
export type PasskeyList = Static<typeof PasskeyList>;

/** Changes the signed-in user. A new password or e-mail needs the current password, where the user has a password. */
export const UpdateMe = closed({
  name: Type.Optional(PersonName),
  email: Type.Optional(Email),
  password: Type.Optional(NewPassword),
  current_password: Type.Optional(Type.String({ maxLength: 1024, description: "the current password" })),
});
export type UpdateMe = Static<typeof UpdateMe>;

export const SignInMethod = Type.Enum(["password", "passkey", "oidc", "link"]);
export type SignInMethod = Static<typeof SignInMethod>;

export const OpenSession = Type.Object({
  id: Type.String(),
  /** Whether the session is the caller's own. */
  current: Type.Boolean(),
  method: SignInMethod,
  address: orNull(Type.String()),
  user_agent: orNull(Type.String()),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
});
export type OpenSession = Static<typeof OpenSession>;
export const SessionList = listOf(OpenSession);
export type SessionList = Static<typeof SessionList>;

/** Query of `GET /session/oidc/{provider}`: the path below /console/ to go to afterwards. */
export const OidcQuery = closed({
  return: Type.Optional(Type.String({ maxLength: 2000, description: "a path below /console/" })),
});
export type OidcQuery = Static<typeof OidcQuery>;

/** Answer to `POST /me/identities/{provider}`: the provider's address, where the browser goes to add an identity. */
export const IdentityLink = Type.Object({ location: Type.String() });
export type IdentityLink = Static<typeof IdentityLink>;

/**
 * Reasons of a failed sign-in with a provider: the browser is sent to `/console/sign-in?error=CODE`, or, when an
 * identity was to be added, to `return` with the parameter `error`.
 */
export const OIDC_FAILURES = {
  oidc_unavailable: "The provider cannot be reached. Try again, or sign in another way.",
  oidc_denied: "The provider did not confirm the sign-in.",
  oidc_expired: "The sign-in took too long or was started in another browser. Try again.",
  oidc_no_verified_email: "The provider has not verified your e-mail address.",
  oidc_not_invited: "There is no user with your e-mail address here. Ask an administrator for an invitation.",
  oidc_email_in_use:
    "There is a user with your e-mail address, which was not verified here. Sign in another way, then add the provider in your settings.",
  oidc_other_identity:
    "The user with your e-mail address signs in by another identity of this provider. Ask an administrator for a link to set a password, then exchange the identity in your settings.",
  oidc_identity_in_use: "This identity belongs to another user already.",
  oidc_user_disabled: "Your user is disabled.",
} as const;
export type OidcFailure = keyof typeof OIDC_FAILURES;
