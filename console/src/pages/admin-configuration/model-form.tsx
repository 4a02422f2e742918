import { type ReactNode, useEffect, useRef } from "react";
import { Input, Select } from "../../kit/input.tsx";
import { Checkbox } from "../../kit/toggle.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { DayField } from "./day-field.tsx";
import { useFields } from "./field-problems.tsx";
import type { ElementFormProps, PartProps } from "./limits-form.tsx";
import { PricesForm } from "./prices-form.tsx";
import { DecideWithForm, FallbacksForm, RoutesForm, RoutingForm } from "./routes-form.tsx";
import { countOf, objectOf, orNothing, textOf, textsOf, withField } from "./value.ts";

/** The form of a model: its description, its price, its routes. */
export function ModelForm({ value, effective, onChange }: ElementFormProps) {
  const set = (name: string, next: unknown) => onChange(withField(value, name, next));
  const decides = (textOf(value, "kind") || textOf(effective, "kind")) === "decision";
  return (
    <div className="space-y-7">
      <Section title="About">
        <About value={value} effective={effective} onChange={onChange} />
      </Section>
      <Section title="Price" about="Per million tokens. Each dated price replaces the one before it.">
        <PricesForm value={value.price} decides={decides} onChange={(next) => set("price", next)} />
      </Section>
      {value.decide_with === undefined ? (
        <Section
          title="Routes"
          about="Where requests go, by weight. Without routes, the id names the vendor and the vendor’s model."
        >
          <RoutesForm routes={value.routes} onChange={(next) => set("routes", next)} />
          <RoutingForm value={objectOf(value.routing)} onChange={(next) => set("routing", next)} />
        </Section>
      ) : (
        <Section title="Decides with" about="The chat model whose token probabilities decide.">
          <DecideWithForm value={objectOf(value.decide_with)} onChange={(next) => set("decide_with", next)} />
        </Section>
      )}
      <Section title="Fallbacks" about="Models to try in this order when no route answers.">
        <FallbacksForm fallbacks={textsOf(value.fallbacks)} onChange={(next) => set("fallbacks", next)} />
      </Section>
    </div>
  );
}

/** A part of the form. An address may name one (`?part=price`), at which the form begins then. */
function Section({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  const [{ part }] = useUrlState("part");
  const section = useRef<HTMLElement>(null);
  const is_wanted = part === title.toLowerCase();
  useEffect(() => {
    if (is_wanted) section.current?.scrollIntoView({ block: "start" });
  }, [is_wanted]);
  return (
    <section ref={section} className="scroll-mt-16 space-y-3">
      <div>
        <h3 className="font-semibold">{title}</h3>
        {about !== undefined && <p className="text-[0.88rem] text-ink-soft">{about}</p>}
      </div>
      {children}
    </section>
  );
}

function About({ value, effective, onChange }: ElementFormProps) {
  const set = (name: string, next: unknown) => onChange(withField(value, name, next));
  const field = useFields({ value, effective, onChange });
  const choice = useFields({ value, onChange });
  return (
    <div className="space-y-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Input label="Name" {...field("display_name")} />
        <Select
          label="Kind"
          options={[
            { value: "", label: `Default: ${textOf(effective, "kind") === "decision" ? "decisions" : "chat"}` },
            { value: "chat", label: "Chat" },
            { value: "embedding", label: "Embeddings" },
            { value: "rerank", label: "Rerank" },
            { value: "moderation", label: "Moderations" },
            { value: "speech", label: "Speech" },
            { value: "image", label: "Images" },
            { value: "transcription", label: "Transcriptions" },
            { value: "decision", label: "Decisions" },
          ]}
          {...choice("kind")}
        />
        <Input label="Context, in tokens" inputMode="numeric" {...field("context_length", countOf)} />
        <Input label="Max output, in tokens" inputMode="numeric" {...field("max_completion_tokens", countOf)} />
        <Input label="The vendor's name for it" {...field("upstream_model")} />
        <DayField label="Released" {...field("created")} />
      </div>
      <Inputs value={value} effective={effective} onChange={(next) => set("input_modalities", next)} />
      <Capabilities value={value} effective={effective} onChange={(next) => set("capabilities", next)} />
    </div>
  );
}

const MODALITIES = ["text", "image", "audio", "video", "pdf"] as const;

function Inputs({ value, effective, onChange }: PartProps) {
  const stated = textsOf(value.input_modalities);
  const shown = stated.length > 0 ? stated : textsOf(effective.input_modalities);
  return (
    <fieldset>
      <legend className="mb-1.5 text-[0.9rem] font-medium">Takes</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {MODALITIES.map((name) => (
          <Checkbox
            key={name}
            label={name}
            checked={shown.includes(name)}
            onChange={(on) => onChange(on ? [...shown, name] : shown.filter((each) => each !== name))}
          />
        ))}
      </div>
    </fieldset>
  );
}

const CAPABILITIES = [
  { name: "streaming", label: "Streams" },
  { name: "tools", label: "Calls tools" },
  { name: "json", label: "Writes JSON" },
  { name: "thinking", label: "Reasons" },
] as const;

function Capabilities({ value, effective, onChange }: PartProps) {
  const stated = objectOf(value.capabilities);
  const known = objectOf(effective.capabilities);
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
      {CAPABILITIES.map(({ name, label }) => (
        <Select
          key={name}
          label={label}
          value={textOf(stated, name)}
          options={[
            { value: "", label: `Default${name in known ? `: ${known[name] === true ? "yes" : "no"}` : ""}` },
            { value: "true", label: "Yes" },
            { value: "false", label: "No" },
          ]}
          onChange={(typed) =>
            onChange(orNothing(withField(stated, name, typed === "" ? undefined : typed === "true")))
          }
        />
      ))}
    </div>
  );
}
