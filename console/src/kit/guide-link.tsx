import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { apiQuery } from "../api/use-api.ts";
import { Icon } from "./icon.tsx";

/** A page of the guide, and perhaps a heading on it: "console#keys". A test compares each with the documents. */
export type GuidePlace =
  | "billing"
  | "clients"
  | "console#accounts-and-users"
  | "console#alerts"
  | "console#aliases"
  | "console#health-and-audit-log"
  | "console#keys"
  | "console#models"
  | "console#playground"
  | "console#requests"
  | "console#team"
  | "console#usage"
  | "console#what-was-said"
  | "configuration#a-model"
  | "configuration#a-price"
  | "configuration#adding-a-vendor"
  | "configuration#configuration-in-the-database"
  | "configuration#credentials-in-the-console"
  | "configuration#limits"
  | "operations#programs-that-administer"
  | "operations#when-something-is-wrong";

/** Where the guide begins, and where the API is described. */
export const GUIDE = "/docs/guide/";
export const API_REFERENCE = "/docs";

/** Opens a page of this gateway in its own tab. */
export function openApart(address: string): void {
  window.open(address, "_blank", "noreferrer");
}

/** Whether this gateway has the guide: its pages are built apart, and nothing leads to what is not there. */
export function useHasGuide(): boolean {
  const methods = useQuery({ ...apiQuery("GET /session/methods", {}), staleTime: Number.POSITIVE_INFINITY });
  return methods.data?.guide ?? false;
}

/** A link to a place of the guide, in a tab of its own: what was typed here stays. */
export function GuideLink({ to, children }: { to: GuidePlace; children: ReactNode }) {
  if (!useHasGuide()) return null;
  return (
    <a
      href={`${GUIDE}${to}`}
      target="_blank"
      rel="noreferrer"
      className="inline-flex items-center gap-1 rounded-sm font-medium whitespace-nowrap text-accent-ink underline decoration-from-font underline-offset-2 hover:decoration-2"
    >
      {children}
      <Icon name="external" className="size-3.5" />
      <span className="sr-only"> (opens a new tab)</span>
    </a>
  );
}
