import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from "@simplewebauthn/browser";
import type { Passkey, Session } from "../../../contract/session.ts";
import { call } from "./call.ts";

/** Signs in with a passkey. Throws an ApiError, or the browser's refusal as a sentence for people. */
export async function signInWithPasskey(): Promise<Session> {
  const { challenge_id, options } = await call("POST /session/passkey/options", {});
  const optionsJSON = options as object as PublicKeyCredentialRequestOptionsJSON;
  const response = await told(startAuthentication({ optionsJSON }));
  return await call("POST /session/passkey", { body: { challenge_id, response: { ...response } } });
}

/** Makes a passkey on this device and adds it to the signed-in user's. */
export async function addPasskey(name: string): Promise<Passkey> {
  const { challenge_id, options } = await call("POST /me/passkeys/options", {});
  const optionsJSON = options as object as PublicKeyCredentialCreationOptionsJSON;
  const response = await told(startRegistration({ optionsJSON }));
  return await call("POST /me/passkeys", { body: { challenge_id, name, response: { ...response } } });
}

async function told<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (thrown) {
    throw new Error(wordsOf(thrown), { cause: thrown });
  }
}

function wordsOf(thrown: unknown): string {
  if (thrown instanceof WebAuthnError && thrown.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED")
    return "This device has a passkey for you already.";
  if (thrown instanceof Error && thrown.name === "NotAllowedError") return "It was canceled or took too long.";
  return "The browser could not use a passkey here.";
}
