import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { ElementKind } from "../../../../contract/configuration-values.ts";
import { Card } from "../../kit/card.tsx";
import { Input } from "../../kit/input.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { ElementEditor } from "./element-editor.tsx";
import { isKind, kindWords } from "./element-words.ts";
import { useElementChange } from "./use-element-change.ts";

const IDS: Readonly<Record<ElementKind, { label: string; placeholder: string; help: string }>> = {
  model: {
    label: "Id",
    placeholder: "acme/swift-1",
    help: "The vendor's id, a slash, and a name. Clients ask for it by this id.",
  },
  vendor: {
    label: "Id",
    placeholder: "acme",
    help: "Letters, digits, dots, hyphens and underscores. Model ids begin with it.",
  },
  alias: { label: "Alias", placeholder: "fast", help: "What clients may ask for, or a prefix with a star: claude-*." },
  limits: { label: "Id", placeholder: "default", help: "" },
};

/** A new element: its id, and its form. */
export function NewElementPage() {
  const { kind: named } = useParams({ from: "/signed-in/admin/admin/configuration/$kind/new" });
  const kind = isKind(named) ? named : "model";
  return <NewElement key={kind} kind={kind} />;
}

function NewElement({ kind }: { kind: ElementKind }) {
  const [{ id: named }] = useUrlState("id");
  const [id, setId] = useState(named ?? "");
  const navigate = useNavigate();
  const changing = useElementChange(kind, id, () => {
    void navigate({ to: "/admin/configuration/$kind/$id", params: { kind, id }, search: {} });
  });
  const { one, heading, about } = kindWords(kind);
  const { label, placeholder, help } = IDS[kind];
  const looked = changing.previewed?.problems.length === 0;
  return (
    <>
      <PageHeader
        title={`New ${one}`}
        description={about}
        breadcrumb={[{ label: heading, to: "/admin/configuration", search: { kind } }]}
      />
      <Card className="max-w-5xl" title={kind === "alias" ? "Target" : "Settings"}>
        <div className="space-y-5">
          <Input
            label={label}
            mono
            required
            readOnly={looked}
            value={id}
            placeholder={placeholder}
            help={help}
            onChange={(typed) => setId(typed.trim())}
          />
          <ElementEditor
            kind={kind}
            id={id}
            initial={kind === "alias" ? "" : {}}
            effective={null}
            changing={changing}
          />
        </div>
      </Card>
    </>
  );
}
