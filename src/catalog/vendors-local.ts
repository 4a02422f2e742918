import { endpoints, type VendorRow, vendor } from "./vendor-row.ts";

const PROTOCOLS = ["chat-completions", "responses", "messages"] as const;

/** Servers that people run themselves. The three generation protocols are at one address, a credential is optional. */
export const LOCAL_VENDORS: readonly VendorRow[] = [
  vendor("ollama", "Ollama", endpoints("http://127.0.0.1:11434/v1", PROTOCOLS, "bearer"), {
    server_env: "OLLAMA_HOST",
    quirks: { max_tokens_only: true, no_developer_role: true },
  }),
  vendor("vllm", "vLLM", endpoints("http://127.0.0.1:8000/v1", PROTOCOLS, "bearer"), {
    server_env: "VLLM_BASE_URL",
    api_key_env: ["VLLM_API_KEY"],
  }),
  vendor("llamacpp", "llama.cpp", endpoints("http://127.0.0.1:8080/v1", PROTOCOLS, "bearer"), {
    server_env: "LLAMACPP_BASE_URL",
    api_key_env: ["LLAMA_API_KEY"],
    quirks: { max_tokens_only: true, no_developer_role: true },
  }),
  vendor("lmstudio", "LM Studio", endpoints("http://127.0.0.1:1234/v1", PROTOCOLS, "bearer"), {
    server_env: "LMSTUDIO_BASE_URL",
    api_key_env: ["LM_API_TOKEN"],
    quirks: { max_tokens_only: true, no_developer_role: true },
  }),
];
