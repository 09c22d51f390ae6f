// Numbers as people read them: bytes, times, counts, and round steps for axes.

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

function threeDigits(value) {
  const digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return value.toFixed(digits).replace(/\.0+$/, "");
}

export function formatBytes(bytes) {
  const sign = bytes < 0 ? "−" : "";
  let value = Math.abs(bytes);
  let unit = 0;
  while (value >= 1023.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${sign}${unit === 0 ? Math.round(value) : threeDigits(value)} ${BYTE_UNITS[unit]}`;
}

// For a place where the exact number helps: "1.5 MiB (1,572,864 bytes)".
export function formatExactBytes(bytes) {
  return Math.abs(bytes) < 1024 ? formatBytes(bytes) : `${formatBytes(bytes)} (${formatCount(bytes)} bytes)`;
}

export function formatCount(count) {
  return Math.round(count).toLocaleString("en-US");
}

export function countOf(count, noun) {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function formatShare(part, whole) {
  if (!(whole > 0)) return "–";
  const percent = (100 * part) / whole;
  if (percent === 0) return "0 %";
  return percent > 0 && percent < 0.1 ? "< 0.1 %" : `${percent.toFixed(percent < 9.95 ? 1 : 0)} %`;
}

// A time in ns: "850 ns", "1.25 ms", "3.2 s", "2 min 05 s".
export function formatTime(ns) {
  const sign = ns < 0 ? "−" : "";
  const value = Math.abs(ns);
  if (value < 999.5) return `${sign}${Math.round(value)} ns`;
  if (value < 999.5e3) return `${sign}${threeDigits(value / 1e3)} µs`;
  if (value < 999.5e6) return `${sign}${threeDigits(value / 1e6)} ms`;
  if (value < 600e9) return `${sign}${threeDigits(value / 1e9)} s`;
  const seconds = Math.round(value / 1e9);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours > 0 ? `${sign}${hours} h ${String(minutes).padStart(2, "0")} min` : `${sign}${minutes} min ${rest} s`;
}

// A moment as exactly as it is known: "165.204113 ms", "83.332846123 s".
export function formatInstant(ns) {
  const [unit, name] = timeUnit(ns);
  return `${String(ns / unit).slice(0, 12)} ${name}`;
}

// A moment on an axis that ends at `high` and whose labels are `step` apart: one unit for all of them,
// and as many digits as tell two labels apart.
export function formatMoment(ns, step, high) {
  if (step >= 60e9) return formatTime(ns);
  const [unit, name] = timeUnit(high);
  const decimals = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
  return `${(ns / unit).toFixed(decimals)} ${name}`;
}

function timeUnit(ns) {
  return ns < 1e3 ? [1, "ns"] : ns < 1e6 ? [1e3, "µs"] : ns < 1e9 ? [1e6, "ms"] : [1e9, "s"];
}

// Round values from `low` to `high`, about `count` of them; sizes go by powers of two.
export function byteTicks(high, count) {
  let step = 1;
  while (high / step > count) step *= 2;
  const ticks = [];
  for (let at = 0; at <= high; at += step) ticks.push(at);
  return ticks;
}

export function timeTicks(low, high, count) {
  const rough = Math.max(1, (high - low) / Math.max(1, count));
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= rough);
  if (rough > 30e9) step = [60e9, 120e9, 300e9, 600e9, 1800e9, 3600e9].find((each) => each >= rough) ?? 7200e9;
  const ticks = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) ticks.push(at);
  return { ticks, step };
}
