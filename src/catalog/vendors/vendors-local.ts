import { endpoint, endpoints, type VendorRow, vendor } from "./vendor-row.ts";

const GENERATION = ["chat-completions", "responses", "messages"] as const;

/**
 * Decisions at the same address: documented for Ollama from 0.35.0 (docs.ollama.com/api/systemone), vLLM from 0.32
 * (its page on structured decisions), and llama.cpp from b11361 (its pull request 29818).
 */
const WITH_DECISIONS = [...GENERATION, "systemone"] as const;

/** Servers that people run themselves. All protocols of one are at one address, a credential is optional. */
export const LOCAL_VENDORS: readonly VendorRow[] = [
  vendor("ollama", "Ollama", endpoints("http://127.0.0.1:11434/v1", WITH_DECISIONS, "bearer"), {
    server_env: "OLLAMA_HOST",
    quirks: { system_first: true, max_tokens_only: true, no_developer_role: true },
  }),
  vendor("vllm", "vLLM", endpoints("http://127.0.0.1:8000/v1", WITH_DECISIONS, "bearer"), {
    server_env: "VLLM_BASE_URL",
    api_key_env: ["VLLM_API_KEY"],
    // It masks the logits before it reads log-probabilities, so that these are of the choices alone.
    quirks: { system_first: true, constrained_choice: "structured_outputs" },
  }),
  // Its own /v1/decisions has another shape than the public one; /v1/systemone has the public one
  // (entrypoints/systemone/protocol.py). The address and the variables are those of its documentation and clients.
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
  // The variables are LiteLLM's, the port that of the server's own example.
  vendor("strands-decider", "Strands Decider", [endpoint("systemone", "http://127.0.0.1:8000/v1")], {
    server_env: "STRANDS_DECIDER_API_BASE",
    api_key_env: ["STRANDS_DECIDER_API_KEY"],
  }),
];
