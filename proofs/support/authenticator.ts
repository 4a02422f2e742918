import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";

/** A software authenticator that makes and uses passkeys as a browser with a security chip does (WebAuthn level 3). */

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

export interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

/** Faults that a test may choose. */
export interface Behaviour {
  readonly origin?: string;
  readonly flags?: number;
  readonly counter?: number;
  readonly challenge?: string;
}

export class Authenticator {
  readonly origin: string;
  readonly id: Uint8Array;
  counter = 0;
  #keys: CryptoKeyPair | null = null;
  #user_handle = "";

  constructor(origin: string, id: Uint8Array = crypto.getRandomValues(new Uint8Array(32))) {
    this.origin = origin;
    this.id = id;
  }

  async create(options: CreationOptions, behaviour: Behaviour = {}): Promise<RegistrationResponseJSON> {
    this.#keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
    this.#user_handle = options.user.id;
    const flags = behaviour.flags ?? USER_PRESENT | USER_VERIFIED;
    const length = Buffer.from([this.id.length >> 8, this.id.length & 255]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, await coseKey(this.#keys.publicKey)]);
    const data = Buffer.concat([await authenticatorData(options.rp.id, flags | ATTESTED, this.counter), attested]);
    const attestation = cborMap([
      [cborText("fmt"), cborText("none")],
      [cborText("attStmt"), cborMap([])],
      [cborText("authData"), cborBytes(data)],
    ]);
    const id = base64url(this.id);
    return {
      id,
      rawId: id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(this.#clientData("webauthn.create", options.challenge, behaviour)),
        attestationObject: base64url(attestation),
        transports: ["internal"],
      },
    };
  }

  async sign(options: RequestOptions, behaviour: Behaviour = {}): Promise<AuthenticationResponseJSON> {
    if (this.#keys === null) throw new Error("there is no passkey yet");
    this.counter = behaviour.counter ?? this.counter + 1;
    const flags = behaviour.flags ?? USER_PRESENT | USER_VERIFIED;
    const data = await authenticatorData(options.rpId, flags, this.counter);
    const client_data = this.#clientData("webauthn.get", options.challenge, behaviour);
    const signed = Buffer.concat([data, await sha256(client_data)]);
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signature = new Uint8Array(await crypto.subtle.sign(algorithm, this.#keys.privateKey, signed));
    const id = base64url(this.id);
    return {
      id,
      rawId: id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(client_data),
        authenticatorData: base64url(data),
        signature: base64url(derSignature(signature)),
        userHandle: this.#user_handle,
      },
    };
  }

  #clientData(type: string, challenge: string, behaviour: Behaviour): Buffer {
    const origin = behaviour.origin ?? this.origin;
    const told = { type, challenge: behaviour.challenge ?? challenge, origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(told));
  }
}

async function authenticatorData(rp_id: string, flags: number, counter: number): Promise<Buffer> {
  const tail = Buffer.alloc(5);
  tail.writeUInt8(flags, 0);
  tail.writeUInt32BE(counter, 1);
  return Buffer.concat([await sha256(Buffer.from(rp_id)), tail]);
}

/** An ES256 key as COSE writes it: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}. */
async function coseKey(key: CryptoKey): Promise<Buffer> {
  const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", key);
  return cborMap([
    [cborInt(1), cborInt(2)],
    [cborInt(3), cborInt(-7)],
    [cborInt(-1), cborInt(1)],
    [cborInt(-2), cborBytes(Buffer.from(x, "base64url"))],
    [cborInt(-3), cborBytes(Buffer.from(y, "base64url"))],
  ]);
}

/** WebCrypto's two 32-byte numbers as the ASN.1 sequence that WebAuthn sends. */
function derSignature(raw: Uint8Array): Buffer {
  const integers = [raw.subarray(0, 32), raw.subarray(32)].map((bytes) => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const trimmed = Buffer.from(bytes.subarray(first === -1 ? 31 : first));
    const positive = (trimmed[0] ?? 0) > 127 ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed;
    return Buffer.concat([Buffer.from([2, positive.length]), positive]);
  });
  const body = Buffer.concat(integers);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}

function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}

const cborInt = (value: number): Buffer => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value));
const cborBytes = (bytes: Uint8Array): Buffer => Buffer.concat([cborHead(2, bytes.length), bytes]);
const cborText = (text: string): Buffer => Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
const cborMap = (entries: readonly (readonly [Buffer, Buffer])[]): Buffer =>
  Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);

async function sha256(bytes: Uint8Array): Promise<Buffer> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
