import { Outlet } from "@tanstack/react-router";
import { useIsAdministrator } from "../api/session.ts";
import { NotFound } from "./not-found.tsx";

/** The administrators' pages. Members get "not found", and the gateway refuses them the data of these pages too. */
export function AdminOnly() {
  return useIsAdministrator() ? <Outlet /> : <NotFound />;
}
