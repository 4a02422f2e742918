import type { ReactNode } from "react";
import { Brand } from "../../app/brand.tsx";
import { PageHeader } from "../../kit/page-header.tsx";

/** The frame of the pages before the sign-in: one card under the logo. */
export function SignInFrame({
  title,
  description,
  children,
}: {
  title: string;
  description?: ReactNode;
  children: ReactNode;
}) {
  return (
    <main className="relative flex min-h-dvh flex-col items-center overflow-hidden px-4 py-12 sm:justify-center">
      <svg
        viewBox="0 0 1200 600"
        aria-hidden="true"
        preserveAspectRatio="xMidYMax slice"
        className="absolute inset-0 size-full"
      >
        <g fill="none" strokeLinecap="round">
          <path d="M-40 560C260 560 300 470 560 440S900 300 1240 70" stroke="var(--sunken)" strokeWidth="120" />
          <path
            d="M-40 560C260 560 300 470 560 440S900 300 1240 70"
            stroke="var(--line)"
            strokeWidth="2"
            strokeDasharray="2 14"
          />
        </g>
      </svg>
      <div className="rise relative w-full max-w-sm">
        <div className="mb-6 flex justify-center">
          <Brand />
        </div>
        <div className="rounded-2xl border border-line bg-surface p-6 shadow-float">
          <PageHeader title={title} description={description} />
          {children}
        </div>
      </div>
    </main>
  );
}
