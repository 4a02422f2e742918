import { useEffect, useState } from "react";
import { formatCount } from "../../../kit/format.ts";
import { Input, Select, Textarea } from "../../../kit/input.tsx";
import { Notice } from "../../../kit/states.tsx";
import { CallPlayground, type OnceProps } from "../once/call-playground.tsx";
import { Download } from "../once/download.tsx";
import type { Read } from "../once/use-call.ts";

const EXAMPLE = "The trains to the coast leave every hour, and the first one leaves at six.";
/** Those that browsers play; WAV first, which all of them do. */
const FORMATS = ["wav", "mp3", "opus", "aac", "flac"].map((value) => ({ value, label: value }));

interface Sound {
  readonly blob: Blob;
  /** The file's name: `speech.wav`. */
  readonly name: string;
}

export function SpeechPlayground(props: OnceProps) {
  const [text, setText] = useState(EXAMPLE);
  const [voice, setVoice] = useState("coral");
  const [format, setFormat] = useState("wav");
  const [instructions, setInstructions] = useState("");
  return (
    <CallPlayground
      {...props}
      style="speech"
      title="Text"
      verb="Speak"
      promise="the voice is heard here, and kept as a file if you like."
      body={{
        model: props.model.id,
        input: text,
        voice,
        response_format: format,
        instructions: instructions.trim() === "" ? undefined : instructions,
      }}
      blocked={text.trim() === "" || voice.trim() === "" ? "" : null}
      read={(response) => read(response, format)}
      show={(sound) => <Player sound={sound} />}
      parameters={
        <>
          <div className="grid grid-cols-2 gap-3">
            <Input label="Voice" mono value={voice} onChange={setVoice} />
            <Select label="Format" options={FORMATS} value={format} onChange={setFormat} />
          </div>
          <Textarea
            label="Instructions"
            optional
            rows={2}
            placeholder="Calm, like a station's announcer"
            value={instructions}
            onChange={setInstructions}
          />
        </>
      }
      form={
        <Textarea label="What to say" hide_label rows={3} placeholder="What to say" value={text} onChange={setText} />
      }
    />
  );
}

async function read(response: Response, format: string): Promise<Read<Sound>> {
  const blob = await response.blob();
  return { raw: `${blob.type}, ${formatCount(blob.size)} bytes`, answer: { blob, name: `speech.${format}` } };
}

function Player({ sound: { blob, name } }: { sound: Sound }) {
  const url = useObjectUrl(blob);
  const [fails, setFails] = useState(false);
  if (url === null) return null;
  return (
    <div className="space-y-3">
      {/* biome-ignore lint/a11y/useMediaCaption: what is said stands in the form */}
      <audio controls src={url} aria-label="The spoken text" className="w-full" onError={() => setFails(true)} />
      {fails && <Notice tone="warn">This browser does not play {blob.type}. Its file can be kept.</Notice>}
      <Download url={url} name={name} />
    </div>
  );
}

/** An address of the bytes, for as long as they are shown. */
function useObjectUrl(blob: Blob): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
