import { expect, test } from "bun:test";
import { startObjectStorage } from "../../proofs/support/object-storage.ts";
import { GuardedClient } from "./guarded-client.ts";
import { putRequest, readStorage } from "./put-object.ts";

test.each([
  [
    "https://K:S@s3.eu-central-1.amazonaws.com/bucket/a",
    "https://s3.eu-central-1.amazonaws.com/bucket/a/",
    "eu-central-1",
  ],
  ["https://K:S@bucket.s3.us-west-2.amazonaws.com/a/", "https://bucket.s3.us-west-2.amazonaws.com/a/", "us-west-2"],
  ["http://K:S@127.0.0.1:9000/bucket", "http://127.0.0.1:9000/bucket/", "us-east-1"],
  ["https://K:S@storage.example.com/b?region=auto", "https://storage.example.com/b/", "auto"],
])("%p is a folder of a storage in a region", (address, url, region) => {
  expect(readStorage(address)).toEqual({ url, key: "K", secret: "S", region });
});

test("an object is put with its bytes signed, whatever is in the secret, the folder and the object", async () => {
  await using storage = startObjectStorage();
  const address = storage.target
    .replace("s3:", "")
    .replace("s3cret/canary+of=storage", encodeURIComponent("s3cret/canary+of=storage"));
  const put = async (body: string, change = (text: string) => text): Promise<number> => {
    const object = { name: "2026/11/28/dlv_1.jsonl", body, content_type: "application/x-ndjson", now_ms: Date.now() };
    const request = await putRequest(readStorage(address), object);
    return await new GuardedClient().post({ ...request, body: change(request.body) });
  };
  expect(await put('{"tag":"Zoë 😀"}\n')).toBe(200);
  expect([...storage.objects]).toEqual([["/bucket/of%20events/2026/11/28/dlv_1.jsonl", '{"tag":"Zoë 😀"}\n']]);
  expect(await put("{}\n", () => "[]\n")).toBe(403);
});
