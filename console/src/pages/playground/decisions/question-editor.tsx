import { Button, IconButton } from "../../../kit/button.tsx";
import { Input, Select, Textarea } from "../../../kit/input.tsx";
import { optionsOf } from "../../../kit/options.ts";
import { newOption, type OptionDraft, type QuestionDraft, type QuestionType } from "./questions.ts";

const TYPES = optionsOf<QuestionType>({ predicate: "Yes or no", choice: "One of several", score: "A score" });

/** One question: its type, its name, what it asks, and its options or levels. */
export function QuestionEditor({
  question,
  number,
  onChange,
  onRemove,
}: {
  question: QuestionDraft;
  number: number;
  onChange: (question: QuestionDraft) => void;
  onRemove: (() => void) | undefined;
}) {
  const { type, name, instructions, choices, levels } = question;
  return (
    <fieldset className="min-w-0 space-y-3 rounded-lg border border-line p-3.5">
      <legend className="sr-only">Question {number}</legend>
      <div className="flex items-end gap-3">
        <Select
          label="Question"
          options={TYPES}
          value={type}
          onChange={(typed) => onChange({ ...question, type: typed as QuestionType })}
          className="flex-1"
        />
        <Input
          label="Name"
          mono
          placeholder={`question_${number}`}
          value={name}
          onChange={(typed) => onChange({ ...question, name: typed })}
          className="flex-1"
        />
        {onRemove && <IconButton icon="trash" label={`Remove question ${number}`} onClick={onRemove} />}
      </div>
      <Textarea
        label="Instructions"
        rows={2}
        placeholder={type === "predicate" ? "A statement that is true or not" : "What is asked"}
        value={instructions}
        onChange={(typed) => onChange({ ...question, instructions: typed })}
      />
      {type === "choice" && (
        <Options
          noun="Choice"
          least={2}
          options={choices}
          onChange={(next) => onChange({ ...question, choices: next })}
        />
      )}
      {type === "score" && (
        <Options
          noun="Level"
          least={2}
          most={10}
          hint="Lowest first."
          options={levels}
          onChange={(next) => onChange({ ...question, levels: next })}
        />
      )}
    </fieldset>
  );
}

function Options({
  noun,
  least,
  most = 255,
  hint,
  options,
  onChange,
}: {
  noun: "Choice" | "Level";
  least: number;
  most?: number;
  hint?: string;
  options: readonly OptionDraft[];
  onChange: (options: readonly OptionDraft[]) => void;
}) {
  const replace = (changed: OptionDraft) =>
    onChange(options.map((option) => (option.id === changed.id ? changed : option)));
  return (
    <div className="space-y-2">
      <p className="text-[0.9rem] font-medium">
        {noun === "Choice" ? "Choices" : "Levels"}{" "}
        {hint && <span className="text-[0.83rem] font-normal text-ink-soft">{hint}</span>}
      </p>
      {options.map((option, index) => (
        <div key={option.id} className="flex items-center gap-2">
          <Input
            label={`${noun} ${index + 1}`}
            hide_label
            placeholder={noun === "Choice" ? "value" : "label"}
            value={option.value}
            onChange={(typed) => replace({ ...option, value: typed })}
            className="w-28 shrink-0 sm:w-36"
          />
          <Input
            label={`Description of ${noun.toLowerCase()} ${index + 1}`}
            hide_label
            placeholder="what it means"
            value={option.description}
            onChange={(typed) => replace({ ...option, description: typed })}
            className="flex-1"
          />
          <IconButton
            icon="close"
            label={`Remove ${noun.toLowerCase()} ${index + 1}`}
            disabled={options.length <= least}
            onClick={() => onChange(options.filter(({ id }) => id !== option.id))}
          />
        </div>
      ))}
      <Button
        kind="quiet"
        size="small"
        icon="plus"
        className="-ml-2.5"
        disabled={options.length >= most}
        onClick={() => onChange([...options, newOption()])}
      >
        Add a {noun.toLowerCase()}
      </Button>
    </div>
  );
}
