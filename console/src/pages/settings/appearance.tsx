import { type Theme, useTheme } from "../../app/theme.ts";
import { Card } from "../../kit/card.tsx";
import { Select } from "../../kit/input.tsx";

/** The theme of the console in this browser. */
export function Appearance() {
  const [theme, setTheme] = useTheme();
  return (
    <Card title="Appearance">
      <Select
        label="Theme"
        options={[
          { value: "system", label: "System" },
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
        value={theme}
        onChange={(event) => setTheme(event.target.value as Theme)}
        className="max-w-xs"
      />
    </Card>
  );
}
