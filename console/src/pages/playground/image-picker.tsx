import { useRef } from "react";
import { IconButton } from "../../kit/button.tsx";
import { toastError } from "../../kit/toast.tsx";
import type { ImageFile } from "./chat/turns.ts";

const MOST_BYTES = 8 * 1024 * 1024;
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Takes images from this device as data URLs, which are sent with the request and nowhere else. */
export function ImageButton({ onAdd, disabled = false }: { onAdd: (images: ImageFile[]) => void; disabled?: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const take = async (files: FileList | null) => {
    try {
      onAdd(await Promise.all([...(files ?? [])].map(readImage)));
    } catch (thrown) {
      toastError(thrown);
    }
    if (input.current) input.current.value = "";
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={TYPES.join()}
        multiple
        tabIndex={-1}
        aria-label="Images"
        className="sr-only"
        onChange={(event) => void take(event.target.files)}
      />
      <IconButton icon="image" label="Add an image" disabled={disabled} onClick={() => input.current?.click()} />
    </>
  );
}

function readImage(file: File): Promise<ImageFile> {
  if (!TYPES.includes(file.type)) throw new Error(`${file.name} is not a PNG, JPEG, GIF or WebP image.`);
  if (file.size > MOST_BYTES) throw new Error(`${file.name} is larger than 8 MB.`);
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, url: String(reader.result) });
    reader.onerror = () => reject(new Error(`${file.name} could not be read.`));
    reader.readAsDataURL(file);
  });
}

/** The chosen images, each with a button that removes it; without `onRemove`, there are no buttons. */
export function Thumbnails({
  images,
  onRemove,
}: {
  images: readonly ImageFile[];
  onRemove?: (image: ImageFile) => void;
}) {
  if (images.length === 0) return null;
  return (
    <ul aria-label="Images" className="flex flex-wrap gap-2">
      {images.map((image) => (
        <li key={image.url} className="relative">
          <img
            src={image.url}
            alt={image.name}
            className="size-16 rounded-lg border border-line bg-sunken object-cover"
          />
          {onRemove && (
            <IconButton
              icon="close"
              label={`Remove ${image.name}`}
              className="absolute -top-2 -right-2 size-6 rounded-full border border-line bg-raised"
              onClick={() => onRemove(image)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
