import type { Client } from "../cell.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";
import type { Style } from "./style.ts";

export const STYLES: Readonly<Record<Client, Style>> = { chat, responses, messages, gemini };
