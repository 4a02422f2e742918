import { describe, expect, test } from "bun:test";
import { targetFor } from "../../../proofs/support/target.ts";
import { startSimulator } from "../../../simulator/server.ts";
import type { AwsCredentials, CredentialHeader, Vendor } from "../../core/catalog/catalog.ts";
import { Upstream } from "../send.ts";
import { awsSigner, signerFor } from "./signer-for.ts";

const TIMEOUTS = { connect_ms: 3000, first_byte_ms: 5000, idle_ms: 5000, total_ms: 9000 };

const AWS: AwsCredentials = {
  access_key_id: "AKIDEXAMPLE",
  secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  session_token: "FwoGZXIvYXdz//8=",
  region: "eu-central-1",
};

function vendorWith(credential: CredentialHeader, material: Partial<Vendor>) {
  const { vendor } = targetFor("bedrock-converse");
  return {
    vendor: { ...vendor, ...material },
    endpoint: { protocol: "bedrock-converse" as const, base_url: "", credential },
  };
}

describe("a request to a vendor that requires signatures", () => {
  const body = JSON.stringify({ messages: [{ role: "user", content: [{ text: "Grüße, 世界" }] }] });

  async function statusWith(credentials: AwsCredentials, expected: AwsCredentials): Promise<number> {
    const { session_token, ...rest } = expected;
    await using simulator = await started({ ...rest, ...(session_token !== null && { session_token }) });
    const { vendor, endpoint } = vendorWith("sigv4", { aws: credentials });
    const sign = signerFor(vendor, endpoint);
    const url = `${simulator.url}/model/${encodeURIComponent("us.anthropic.echo@input=5&output=7:0")}/converse`;
    const headers = { "content-type": "application/json", "accept-encoding": "identity" };
    const call = new Upstream().start({ url, headers, body, timeouts: TIMEOUTS, ...(sign && { sign }) });
    const reply = await call.reply;
    await reply.readWhole();
    return reply.status;
  }

  test("is signed so that the vendor accepts it, with temporary and with permanent credentials", async () => {
    expect(await statusWith(AWS, AWS)).toBe(200);
    const lasting = { ...AWS, session_token: null };
    expect(await statusWith(lasting, lasting)).toBe(200);
  });

  test.each<[string, Partial<AwsCredentials>]>([
    ["another secret", { secret_access_key: "another" }],
    ["another key", { access_key_id: "AKIDOTHER" }],
    ["another region", { region: "us-east-1" }],
    ["another session", { session_token: "other" }],
  ])("is refused with %s", async (_what, change) => {
    expect(await statusWith({ ...AWS, ...change }, AWS)).toBe(403);
  });
});

describe("a signature", () => {
  const clock = { now_ms: () => Date.UTC(2026, 0, 31, 23, 59, 59), monotonic_ms: () => 0 };

  test("names the time, the region, and the service that the address implies", async () => {
    const sign = awsSigner(AWS, clock);
    const scope = async (url: string) => (await sign({ method: "POST", url, body: "{}" })).authorization;
    expect(await scope("https://bedrock-runtime.eu-central-1.amazonaws.com/model/x/converse")).toStartWith(
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260131/eu-central-1/bedrock/aws4_request, ",
    );
    expect(await scope("https://bedrock-mantle.eu-central-1.api.aws/anthropic/v1/messages")).toContain(
      "/bedrock-mantle/",
    );
    const { "x-amz-date": date } = await sign({
      method: "GET",
      url: "https://bedrock-runtime.x.amazonaws.com/",
      body: "",
    });
    expect(date).toBe("20260131T235959Z");
  });
});

describe("the signer of an endpoint", () => {
  test("is null where a constant header suffices, and otherwise the same object for every request", () => {
    for (const credential of ["bearer", "x-api-key", "api-key", "x-goog-api-key", "none"] as const) {
      const { vendor, endpoint } = vendorWith(credential, { api_key: "k" });
      expect(signerFor(vendor, endpoint)).toBeNull();
    }
    const { vendor, endpoint } = vendorWith("sigv4", { aws: AWS });
    expect(signerFor(vendor, endpoint)).toBe(signerFor(vendor, endpoint));
  });

  test.each<CredentialHeader>(["sigv4", "google-service-account"])("says what is missing: %s", async (credential) => {
    const { vendor, endpoint } = vendorWith(credential, { api_key: null });
    const sign = signerFor(vendor, endpoint);
    const thrown = await sign?.({ method: "POST", url: "http://127.0.0.1:1", body: "" }).catch(
      (error: unknown) => error,
    );
    expect(thrown).toMatchObject({ fault: "credential", message: expect.stringContaining("vendor acme has no") });
  });
});

async function started(aws: NonNullable<Parameters<typeof startSimulator>[0]>["aws"]) {
  const simulator = await startSimulator(aws === undefined ? {} : { aws });
  return { ...simulator, [Symbol.asyncDispose]: () => simulator.stop() };
}
