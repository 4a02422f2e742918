import { endpoint, endpoints, type VendorRow, vendor } from "./vendor-row.ts";

const GENERATION = ["chat-completions", "responses", "messages"] as const;

/**
 * Decisions at the same address: documented for Ollama from 0.35.0 (docs.ollama.com/api/systemone), vLLM from 0.32
 * (its page on structured decisions), and llama.cpp from b11361 (its pull request 29818).
 */
const WITH_DECISIONS = [...GENERATION, "systemone"] as const;

/** Servers that people run themselves. A server has all its protocols at one address; its credential is optional. */
export const LOCAL_VENDORS: readonly VendorRow[] = [
  vendor("ollama", "Ollama", endpoints("http://127.0.0.1:11434/v1", WITH_DECISIONS, "bearer"), {
    server_env: "OLLAMA_HOST",
    quirks: { system_first: true, max_tokens_only: true, no_developer_role: true },
  }),
  vendor("vllm", "vLLM", endpoints("http://127.0.0.1:8000/v1", WITH_DECISIONS, "bearer"), {
    server_env: "VLLM_BASE_URL",
    api_key_env: ["VLLM_API_KEY"],
    // vLLM masks the logits before it computes log-probabilities, so they cover the choices only.
    quirks: { system_first: true, constrained_choice: "structured_outputs" },
  }),
  // SGLang's /v1/decisions differs from the public shape of decisions; its /v1/systemone has the public shape
  // (entrypoints/systemone/protocol.py). Address and variables are from its documentation and clients.
  vendor("sglang", "SGLang", endpoints("http://127.0.0.1:30000/v1", ["chat-completions", "systemone"]), {
    server_env: "SGLANG_BASE_URL",
    api_key_env: ["SGLANG_API_KEY"],
    quirks: { system_first: true, no_developer_role: true },
  }),
  vendor("llamacpp", "llama.cpp", endpoints("http://127.0.0.1:8080/v1", WITH_DECISIONS, "bearer"), {
    server_env: "LLAMACPP_BASE_URL",
    api_key_env: ["LLAMA_API_KEY"],
    quirks: { system_first: true, max_tokens_only: true, no_developer_role: true },
  }),
  vendor("lmstudio", "LM Studio", endpoints("http://127.0.0.1:1234/v1", GENERATION, "bearer"), {
    server_env: "LMSTUDIO_BASE_URL",
    api_key_env: ["LM_API_TOKEN"],
    quirks: { system_first: true, max_tokens_only: true, no_developer_role: true },
  }),
  // The variables are LiteLLM's; the port is from the server's own example.
  vendor("strands-decider", "Strands Decider", [endpoint("systemone", "http://127.0.0.1:8000/v1")], {
    server_env: "STRANDS_DECIDER_API_BASE",
    api_key_env: ["STRANDS_DECIDER_API_KEY"],
  }),
];
