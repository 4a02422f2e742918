import { describe, expect, test } from "bun:test";
import { askedSettings, credentialBody, NOTHING_TYPED } from "./credential-kinds.ts";

const AWS = { ...NOTHING_TYPED, access_key_id: " AKIA1 ", secret_access_key: "s", region: "us-east-1" };

test("the region of an AWS key is asked for once", () => {
  expect(askedSettings("aws", ["AWS_REGION", "OTHER"])).toEqual(["OTHER"]);
  expect(askedSettings("api_key", ["AWS_REGION"])).toEqual(["AWS_REGION"]);
});

describe("the body that sets a credential", () => {
  test("is null until all required fields are filled in", () => {
    expect(credentialBody("api_key", { ...NOTHING_TYPED, api_key: "  " }, [])).toBeNull();
    expect(credentialBody("google_service_account", NOTHING_TYPED, [])).toBeNull();
    expect(credentialBody("aws", { ...AWS, region: "" }, [])).toBeNull();
    expect(credentialBody("api_key", { ...NOTHING_TYPED, api_key: "k" }, ["RESOURCE"])).toBeNull();
  });

  test("has only the chosen kind, and no empty fields", () => {
    const aws = { access_key_id: "AKIA1", secret_access_key: "s", region: "us-east-1" };
    expect(credentialBody("aws", { ...AWS, api_key: "k" }, [])).toEqual({ aws });
    expect(credentialBody("aws", { ...AWS, session_token: "t" }, [])).toEqual({ aws: { ...aws, session_token: "t" } });
    expect(credentialBody("api_key", { ...AWS, api_key: "k" }, [])).toEqual({ api_key: "k" });
  });

  test("has the settings that the vendor's addresses contain", () => {
    const typed = { ...NOTHING_TYPED, api_key: "k", settings: { RESOURCE: " east ", OTHER: "x" } };
    expect(credentialBody("api_key", typed, ["RESOURCE"])).toEqual({ api_key: "k", settings: { RESOURCE: "east" } });
  });
});
