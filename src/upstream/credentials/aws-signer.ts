import { AwsV4Signer } from "aws4fetch";
import type { AwsCredentials } from "../../core/catalog/catalog.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { RequestSigner } from "./request-signer.ts";

/** Signs requests to Amazon Bedrock with Signature Version 4. */
export function awsSigner(credentials: AwsCredentials, clock: Clock = systemClock): RequestSigner {
  // Signing keys are derived for a day: the library caches them here.
  const cache = new Map<string, ArrayBuffer>();
  return async ({ method, url, body }) => {
    const signer = new AwsV4Signer({
      method,
      url,
      body,
      accessKeyId: credentials.access_key_id,
      secretAccessKey: credentials.secret_access_key,
      ...(credentials.session_token === null ? {} : { sessionToken: credentials.session_token }),
      service: serviceOf(url),
      region: credentials.region,
      datetime: amzDate(clock.now_ms()),
      cache,
    });
    const { headers } = await signer.sign();
    return Object.fromEntries(headers);
  };
}

/** The name that the signature needs: `bedrock-mantle` for `bedrock-mantle.REGION.api.aws`, else `bedrock`. */
function serviceOf(url: string): string {
  return URL.parse(url)?.hostname.startsWith("bedrock-mantle.") ? "bedrock-mantle" : "bedrock";
}

/** A time as `20260131T235959Z`. */
function amzDate(now_ms: number): string {
  return new Date(now_ms).toISOString().replace(/[:-]|\.\d{3}/g, "");
}
