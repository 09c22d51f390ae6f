// What the reader has chosen, and who wants to know when it changes.
//
// Topics: "range" (while it is dragged), "settled" (once it stays), "drawn" (the map shows it), "tags"
// (what is shown), "theme" and "colours".

export const MIN_RANGE = 50; // ns

export function makeState(facts) {
  const listeners = new Map();
  const state = {
    whole: [0, facts.duration],
    from: 0,
    to: facts.duration,
    // Foreign memory is borrowed, no part of what the program holds.
    isShown: facts.tags.map((tag) => tag !== "foreign"),
    colourBy: "tag",
    on(topics, listener) {
      for (const topic of topics.split(" ")) listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    tell(topic) {
      for (const listener of listeners.get(topic) ?? []) listener();
    },
    setRange(from, to) {
      const [low, high] = state.whole;
      const length = Math.min(high - low, Math.max(MIN_RANGE, to - from));
      const begin = Math.min(Math.max(low, from), high - length);
      if (begin === state.from && begin + length === state.to) return;
      [state.from, state.to] = [begin, begin + length];
      state.tell("range");
      settleSoon();
    },
    zoom(factor, around = (state.from + state.to) / 2) {
      const length = (state.to - state.from) * factor;
      const share = (around - state.from) / (state.to - state.from);
      state.setRange(around - length * share, around + length * (1 - share));
    },
    isWhole: () => state.from <= state.whole[0] && state.to >= state.whole[1],
  };
  let timer = 0;
  function settleSoon() {
    clearTimeout(timer);
    timer = setTimeout(() => state.tell("settled"), 120);
  }
  return state;
}
