import type { JoinAccount, JoinedSession } from "../../../../contract/members.ts";
import type {
  AddPasskey,
  AskedForReset,
  AskForReset,
  IdentityLink,
  LinkLook,
  LinkSession,
  LinkSignIn,
  LookAtLink,
  OidcQuery,
  Passkey,
  PasskeyList,
  PasskeyOptions,
  PasskeySignIn,
  PasswordSignIn,
  Session,
  SessionList,
  SignInMethods,
  UpdateMe,
} from "../../../../contract/session.ts";

/** Endpoints for signing in and for the user's own settings. Without a session, only /session may be called. */
export interface SessionEndpoints {
  "GET /session": { answer: Session };
  "DELETE /session": { answer: unknown };
  "GET /session/methods": { answer: SignInMethods };
  "POST /session/password": { body: PasswordSignIn; answer: Session };
  "POST /session/password-reset": { body: AskForReset; answer: AskedForReset };
  "POST /session/link/look": { body: LookAtLink; answer: LinkLook };
  "POST /session/link": { body: LinkSignIn; answer: LinkSession };
  "POST /session/passkey/options": { answer: PasskeyOptions };
  "POST /session/passkey": { body: PasskeySignIn; answer: Session };
  "POST /me/accounts": { body: JoinAccount; answer: JoinedSession };
  "DELETE /me/accounts/{account}": { answer: JoinedSession };
  "PATCH /me": { body: UpdateMe; answer: Session };
  "GET /me/passkeys": { answer: PasskeyList };
  "POST /me/passkeys/options": { answer: PasskeyOptions };
  "POST /me/passkeys": { body: AddPasskey; answer: Passkey };
  "DELETE /me/passkeys/{id}": { answer: unknown };
  "GET /me/sessions": { answer: SessionList };
  "DELETE /me/sessions/{id}": { answer: unknown };
  "DELETE /me/identities/{provider}": { answer: unknown };
  "POST /me/identities/{provider}": { query: OidcQuery; answer: IdentityLink };
}
