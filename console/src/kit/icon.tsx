/** The console's icons, drawn for it on a 20 × 20 grid with round strokes. One path each, or a few. */
const PATHS = {
  overview: "M3 11.5 10 4l7 7.5M5 9.5V16h10V9.5",
  key: "M8.5 11.5 16 4M13 7l2 2M10.8 9.2l1.4 1.4M9 13.5a3 3 0 1 1-6 0 3 3 0 0 1 6 0Z",
  alias: "M4 6h6a4 4 0 0 1 4 4v4M4 14h3M11 11l3 3 3-3",
  usage: "M3 16.5h14M5 13.5v-4M9 13.5v-8M13 13.5v-6M16.5 13.5V4",
  requests: "M4 5h12M4 10h12M4 15h7",
  credits: "M3.5 6.5h13v9h-13zM3.5 9.5h13M12.5 13h1.5M5.5 6.5l8-3v3",
  models: "M10 3 17 6.5 10 10 3 6.5ZM3 10l7 3.5L17 10M3 13.5 10 17l7-3.5",
  playground: "M4 4.5h12v8.5h-6L6.5 16v-3H4zM7 8h6M7 10.5h3.5",
  settings: "M4 6h7M15 6h1M4 14h1M9 14h7M13 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  accounts: "M3.5 17V6.5L10 3l6.5 3.5V17M3 17h14M8 17v-3.5h4V17M7.5 8.5h.01M12.5 8.5h.01",
  users:
    "M10.5 6.5a3 3 0 1 1-6 0 3 3 0 0 1 6 0ZM2.5 16c.6-3 2.5-4.5 5-4.5s4.4 1.5 5 4.5M12.5 4a3 3 0 0 1 .5 5.3M14.5 12c1.6.6 2.6 2 3 4",
  vendors: "M4 4h12v5H4zM4 11h12v5H4zM7 6.5h.01M7 13.5h.01M10 6.5h3M10 13.5h3",
  prices: "M3.5 10 10 3.5h6v6L9.5 16ZM13 7h.01",
  routes: "M5 16V9a4 4 0 0 1 4-4h6M12.5 2.5 15 5l-2.5 2.5M5 12h10M12.5 9.5 15 12l-2.5 2.5",
  limits: "M3.5 14a7 7 0 1 1 13 0M10 13l3-4.5M10 14.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z",
  health: "M2.5 10.5h3.5l2-5 3.5 9 2-4h4",
  audit: "M5.5 3h6.5l3 3v11h-9.5zM8 9.5h4.5M8 12.5h4.5M11.5 3v3.5H15",
  table: "M3 4.5h14v11H3zM3 8h14M8 8v7.5",
  bell: "M10 3a5 5 0 0 0-5 5v3l-1.5 3h13L15 11V8a5 5 0 0 0-5-5ZM8.5 16.5h3",
  image: "M3 4.5h14v11H3zM3 13l4-4 3.5 3.5L13 10l4 4M12.5 7.5h.01",
  send: "M3.5 10 16.5 4 12 16.5l-2.5-5Z",
  menu: "M3.5 5.5h13M3.5 10h13M3.5 14.5h13",
  close: "m5 5 10 10M15 5 5 15",
  search: "M13 9a4 4 0 1 1-8 0 4 4 0 0 1 8 0ZM12 12l4 4",
  plus: "M10 4v12M4 10h12",
  check: "m4.5 10.5 3.5 3.5 7.5-8",
  copy: "M7.5 7.5h8v9h-8zM12.5 7.5v-4h-8v9h3",
  "chevron-down": "m5.5 8 4.5 4.5L14.5 8",
  "chevron-left": "M12 5.5 7.5 10l4.5 4.5",
  "chevron-right": "m8 5.5 4.5 4.5L8 14.5",
  "chevron-up-down": "m6.5 8 3.5-3.5L13.5 8M6.5 12l3.5 3.5 3.5-3.5",
  "arrow-up": "M10 16V4M5.5 8.5 10 4l4.5 4.5",
  "arrow-down": "M10 4v12M5.5 11.5 10 16l4.5-4.5",
  "arrow-right": "M4 10h12M11.5 5.5 16 10l-4.5 4.5",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  sun: "M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0ZM10 2.5v1.5M10 16v1.5M2.5 10H4M16 10h1.5M4.7 4.7l1 1M14.3 14.3l1 1M4.7 15.3l1-1M14.3 5.7l1-1",
  moon: "M16 11.5A6.5 6.5 0 0 1 8.5 4a6.5 6.5 0 1 0 7.5 7.5Z",
  system: "M3 4.5h14v9H3zM7.5 16.5h5M10 13.5v3",
  "sign-out": "M8 4H4v12h4M12 6.5 15.5 10 12 13.5M15 10H8",
  user: "M13 7a3 3 0 1 1-6 0 3 3 0 0 1 6 0ZM4 16.5c.7-3.2 2.8-5 6-5s5.3 1.8 6 5",
  warning: "M10 3.5 17.5 16.5h-15ZM10 8.5v3.5M10 14.3h.01",
  info: "M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0ZM10 9v4.5M10 6.5h.01",
  refresh: "M16 10a6 6 0 1 1-1.8-4.3L16 7.5M16 3.5v4h-4",
  filter: "M3.5 5h13M6 10h8M8.5 15h3",
  print: "M6 7V3.5h8V7M6 14H3.5V7h13v7H14M6 11.5h8v5H6z",
  download: "M10 3.5v9M6 9l4 4 4-4M4 16.5h12",
  external: "M8 4.5H4.5v11h11V12M11.5 4h4.5v4.5M16 4l-7 7",
  passkey:
    "M9.5 7a3 3 0 1 1-6 0 3 3 0 0 1 6 0ZM2 16c.6-3 2.2-4.5 4.5-4.5 1 0 1.9.3 2.6.8M17 8.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0ZM14.5 11v6l1.5-1.3M14.5 14l1.3-1",
  pause: "M7 4.5v11M13 4.5v11",
  play: "M6.5 4.5 15 10l-8.5 5.5Z",
  stop: "M6 6h8v8H6z",
  trash: "M4 6h12M8 6V3.5h4V6M5.5 6l.8 10.5h7.4L14.5 6M8.5 9v4.5M11.5 9v4.5",
  edit: "M4 16l.7-3.2L13 4.5 15.5 7l-8.3 8.3ZM11.5 6 14 8.5",
  keyboard: "M2.5 5.5h15v9h-15zM5.5 8.5h.01M8.5 8.5h.01M11.5 8.5h.01M14.5 8.5h.01M6.5 11.5h7",
} as const;

export type IconName = keyof typeof PATHS;

/** An icon of the text's size and colour. Screen readers skip it and read the text or label beside it. */
export function Icon({ name, className = "size-[1.15em]" }: { name: IconName; className?: string }) {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true" className={`shrink-0 ${className}`} fill="none" stroke="currentColor">
      <path d={PATHS[name]} strokeWidth={name === "more" ? 2.4 : 1.5} strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
