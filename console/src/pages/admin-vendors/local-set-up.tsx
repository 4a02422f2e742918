import type { Vendor } from "../../../../contract/vendors.ts";
import { LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { GuideLink } from "../../kit/guide-link.tsx";

/** The one way to set up a server that people run themselves: its address, then its models. */
export function LocalSetUp({ vendor: { id, name, missing } }: { vendor: Vendor }) {
  return (
    <Card title={`Set up ${name}`}>
      <ol className="list-decimal space-y-2.5 pl-5">
        <li>
          Start {name} where this gateway reaches it, and say where it listens: the address with its version, such as{" "}
          <code className="font-mono text-[0.88rem]">http://127.0.0.1:11434/v1</code>.
        </li>
        <li>
          Come back to this page: it then lists the models that the server has. Offer those that you want, each with a
          price; 0 is one.
        </li>
        <li>Only where the server asks for a key, set it here as its credential.</li>
      </ol>
      <div className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <LinkButton
          kind="primary"
          icon="plus"
          to="/admin/configuration/$kind/new"
          params={{ kind: "vendor" }}
          search={{ id }}
        >
          Set its address
        </LinkButton>
        <GuideLink to="configuration#adding-a-vendor">Guide</GuideLink>
        {missing.length > 0 && (
          <span className="text-[0.9rem] text-ink-soft">
            For a gateway that a script starts, the variable{" "}
            <code className="font-mono text-[0.85rem]">{missing.join(", ")}</code> says the same.
          </span>
        )}
      </div>
    </Card>
  );
}
