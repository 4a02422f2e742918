import { useQuery } from "@tanstack/react-query";
import { apiQuery } from "../api/use-api.ts";

/** Whom to ask for credit and for a way in, in the operator's words (`console.contact`); null where they say nothing. */
export function useContact(): string | null {
  const methods = useQuery({ ...apiQuery("GET /session/methods", {}), staleTime: Number.POSITIVE_INFINITY });
  return methods.data?.contact ?? null;
}

const LINK = "rounded-sm font-medium break-words text-accent-ink underline decoration-from-font underline-offset-2";

/** The words as a link, where they are an e-mail or an address of the web. */
export function Contact({ words }: { words: string }) {
  if (/^[^\s@<>]+@[^\s@<>]+$/.test(words))
    return (
      <a href={`mailto:${words}`} className={LINK}>
        {words}
      </a>
    );
  if (/^https?:\/\/\S+$/i.test(words))
    return (
      <a href={words} target="_blank" rel="noopener noreferrer" className={LINK}>
        {words}
      </a>
    );
  return <span className="font-medium break-words text-ink">{words}</span>;
}
