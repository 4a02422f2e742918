import { useState } from "react";
import { CopyButton } from "./copy-button.tsx";
import { Scrollable } from "./scrollable.tsx";
import { Tabs } from "./tabs.tsx";

/** A block of code with a copy button. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <div className="relative rounded-lg border border-line bg-sunken">
      <Scrollable label={label} className="overflow-x-auto rounded-lg">
        <pre className="w-max min-w-full p-3.5 pr-12 font-mono text-[0.83rem] leading-relaxed">
          <code>{code}</code>
        </pre>
      </Scrollable>
      <CopyButton value={code} label={`Copy ${label}`} className="absolute top-1.5 right-1.5 bg-sunken" />
    </div>
  );
}

interface Snippet {
  readonly id: string;
  readonly label: string;
  readonly code: string;
}

/** A snippet in several languages. The chosen language is remembered for other pages. */
export function Snippets({ snippets, label }: { snippets: readonly Snippet[]; label: string }) {
  const [chosen, setChosen] = useState(() => remembered());
  const value = snippets.find(({ id }) => id === chosen)?.id ?? snippets[0]?.id ?? "";
  const choose = (id: string) => {
    setChosen(id);
    remember(id);
  };
  const tabs = snippets.map((snippet) => ({
    id: snippet.id,
    label: snippet.label,
    content: <CodeBlock code={snippet.code} label={snippet.label} />,
  }));
  return <Tabs tabs={tabs} value={value} onChange={choose} label={label} />;
}

const STORED = "camino-snippet";

function remembered(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

function remember(id: string): void {
  try {
    localStorage.setItem(STORED, id);
  } catch {
    // Where storage is forbidden, the choice lasts as long as the page.
  }
}
