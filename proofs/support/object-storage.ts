import { createHash, createHmac } from "node:crypto";
import { freePort } from "./free-port.ts";

export interface ObjectStorage extends AsyncDisposable {
  /** As the configuration names it: with key and secret, a bucket and a prefix. */
  readonly target: string;
  /** The objects by their paths, as they were last put. */
  readonly objects: Map<string, string>;
  /** How often something was put, also what was refused. */
  readonly puts: { readonly path: string; readonly status: number }[];
  /** It `takes` what is signed; `refuses` everything with a 403; is `full` (507); `silent`, and answers nothing; or `away`, and takes no connection. */
  behave(how: Behavior): void;
}

type Behavior = "takes" | "refuses" | "full" | "silent" | "away";

const STATUS = { takes: 200, refuses: 403, full: 507 } as const;
const KEY = "AKIAEXAMPLE";
/** With the characters that Amazon's secrets have. */
const SECRET = "s3cret/canary+of=storage";
const REGION = "eu-test-1";

/**
 * A server that speaks as much of S3 as putting objects takes. It checks Signature Version 4 as Amazon describes it, over the bytes that came, with
 * nothing of the gateway's.
 */
export function startObjectStorage(): ObjectStorage {
  const objects = new Map<string, string>();
  const puts: { path: string; status: number }[] = [];
  let behavior: Behavior = "takes";
  const serve = (port: number) =>
    Bun.serve({
      ...{ port, hostname: "127.0.0.1", idleTimeout: 0 },
      async fetch(request) {
        const body = await request.text();
        const { pathname: path } = new URL(request.url);
        if (behavior === "silent" || behavior === "away") return await new Promise<Response>(() => {});
        const status = request.method === "PUT" && isSigned(request, body) ? STATUS[behavior] : 403;
        if (status === 200) objects.set(path, body);
        puts.push({ path, status });
        return new Response(status === 200 ? null : "<Error><Code>AccessDenied</Code></Error>", { status });
      },
    });
  const port = freePort();
  let server: ReturnType<typeof serve> | null = serve(port);
  return {
    target: `s3:http://${KEY}:${SECRET}@127.0.0.1:${port}/bucket/of events?region=${REGION}`.replace(" ", "%20"),
    ...{ objects, puts },
    behave: (how) => {
      behavior = how;
      if (how !== "away") server ??= serve(port);
      else {
        void server?.stop(true);
        server = null;
      }
    },
    [Symbol.asyncDispose]: async () => await server?.stop(true),
  };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

function isSigned(request: Request, body: string): boolean {
  const header = (name: string): string => request.headers.get(name) ?? "";
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      header("authorization"),
    );
  const [, key, day = "", region = "", names = "", signature] = given ?? [];
  if (key !== KEY || region !== REGION || header("x-amz-content-sha256") !== sha256(body)) return false;
  if (!["host", "x-amz-content-sha256", "x-amz-date"].every((name) => names.split(";").includes(name))) return false;
  const { pathname } = new URL(request.url);
  const headers = names.split(";").map((name) => `${name}:${header(name).trim()}\n`);
  const canonical = [request.method, pathname, "", headers.join(""), names, sha256(body)].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", header("x-amz-date"), scope, sha256(canonical)].join("\n");
  const signing = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
  return hmac(signing, text).toString("hex") === signature;
}
