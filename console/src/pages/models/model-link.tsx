import type { ReactNode } from "react";
import { RowLink, TextLink } from "../../kit/row-link.tsx";

/** A model's id as the parts of its page's address: the name may contain slashes. */
export function modelParams(id: string): { vendor: string; name: string } {
  const slash = id.indexOf("/");
  return { vendor: id.slice(0, slash), name: id.slice(slash + 1) };
}

export function ModelLink({ id, row = false, children = id }: { id: string; row?: boolean; children?: ReactNode }) {
  const LinkKind = row ? RowLink : TextLink;
  return (
    <LinkKind to="/models/$vendor/$name" params={modelParams(id)}>
      {children}
    </LinkKind>
  );
}
