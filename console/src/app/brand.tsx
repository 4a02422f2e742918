/** The logo: a path that leads up. */
export function Brand() {
  return (
    <span className="flex items-center gap-2.5 text-[1.08rem] font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7">
        <rect width="32" height="32" rx="8" fill="#12302b" />
        <g fill="none" stroke="#f6c445" strokeWidth="3" strokeLinecap="round" strokeLinejoin="round">
          <path d="M8 22.5c4.5 0 5-4 8-6.5s4.5-3 7-3" />
          <path d="m19.5 8.5 4.5 4.400-4.5 4.600" />
        </g>
      </svg>
      Camino
    </span>
  );
}
