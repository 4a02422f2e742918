import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

/** An OpenID Connect provider over real HTTP, which signs in or misbehaves as a test chooses. */
export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
  /** The person who signs in next, and the faults of the answer. */
  next: NextSignIn;
  /** What clients sent to the authorization and the token endpoint. */
  readonly asked: { readonly authorize: URLSearchParams[]; readonly token: URLSearchParams[] };
}

export interface NextSignIn {
  readonly subject: string;
  /** Claims of the id token; `email_verified` and so on. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Claims that only the user-info endpoint returns. */
  readonly userinfo?: Readonly<Record<string, unknown>>;
  /** Overrides of the id token's standard claims. */
  readonly wrong?: { readonly nonce?: string; readonly iss?: string; readonly aud?: string; readonly exp?: number };
  /** Signs with a key that the provider does not publish. */
  readonly forged?: boolean;
  /** Answers with this error in place of a code. */
  readonly error?: string;
}

interface Grant {
  readonly who: NextSignIn;
  readonly params: URLSearchParams;
}

export async function startOidcProvider(): Promise<OidcProvider> {
  const genuine = await generateKeyPair("RS256");
  const forged = await generateKeyPair("RS256");
  const jwk: JWK = { ...(await exportJWK(genuine.publicKey)), kid: "k1", alg: "RS256", use: "sig" };
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, Grant>();
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => answer(request) });
  const issuer = `http://127.0.0.1:${server.port}`;

  const provider: OidcProvider = {
    issuer,
    client_id: "camino-test",
    client_secret: "the provider's secret & more",
    next: { subject: "nobody" },
    asked: { authorize: [], token: [] },
    [Symbol.asyncDispose]: () => server.stop(true),
  };

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return Response.json(metadata(issuer));
      case "/jwks":
        return Response.json({ keys: [jwk] });
      case "/authorize":
        return authorize(url.searchParams);
      case "/token":
        return await exchange(request);
      case "/userinfo":
        return userinfo(request);
      default:
        return new Response("no such page", { status: 404 });
    }
  }

  /** Answers as if the person had signed in at the provider and agreed. */
  function authorize(params: URLSearchParams): Response {
    provider.asked.authorize.push(params);
    const back = new URL(params.get("redirect_uri") ?? "");
    back.searchParams.set("state", params.get("state") ?? "");
    back.searchParams.set("iss", issuer);
    const { next } = provider;
    if (next.error !== undefined) back.searchParams.set("error", next.error);
    else {
      const code = crypto.randomUUID();
      grants.set(code, { who: next, params });
      back.searchParams.set("code", code);
    }
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  async function exchange(request: Request): Promise<Response> {
    const body = new URLSearchParams(await request.text());
    provider.asked.token.push(body);
    const code = body.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    const is_client =
      body.get("client_id") === provider.client_id && body.get("client_secret") === provider.client_secret;
    if (!is_client) return Response.json({ error: "invalid_client" }, { status: 401 });
    if (grant === undefined || !(await fits(grant.params, body.get("code_verifier") ?? "")))
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    const access_token = crypto.randomUUID();
    tokens.set(access_token, grant);
    return Response.json({ access_token, token_type: "Bearer", expires_in: 60, id_token: await idToken(grant) });
  }

  async function idToken({ who, params }: Grant): Promise<string> {
    const now_s = Math.floor(Date.now() / 1000);
    const claims = { nonce: who.wrong?.nonce ?? params.get("nonce") ?? "", ...who.claims };
    return await new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .setIssuer(who.wrong?.iss ?? issuer)
      .setAudience(who.wrong?.aud ?? provider.client_id)
      .setSubject(who.subject)
      .setIssuedAt(now_s)
      .setExpirationTime(who.wrong?.exp ?? now_s + 60)
      .sign(who.forged ? forged.privateKey : genuine.privateKey);
  }

  function userinfo(request: Request): Response {
    const grant = tokens.get((request.headers.get("authorization") ?? "").replace(/^Bearer /i, ""));
    if (grant === undefined) return new Response("", { status: 401 });
    return Response.json({ sub: grant.who.subject, ...grant.who.userinfo });
  }

  return provider;
}

function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}

/** Proof key for code exchange: only the client that began the sign-in has the verifier of the challenge. */
async function fits(params: URLSearchParams, verifier: string): Promise<boolean> {
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(verifier));
  const challenge = Buffer.from(digest).toString("base64url");
  return params.get("code_challenge_method") === "S256" && params.get("code_challenge") === challenge;
}
