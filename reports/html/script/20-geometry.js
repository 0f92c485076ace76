// Where the steps of a picture are. Not to scale every step has room, however short it lasted; to scale a second is as wide as any other.
const Geometry = {
  places(steps, width, zoom, toScale) {
    const ms = steps.map(step => step / 1e6);
    if (toScale) {
      const span = Math.max(1, (ms.at(-1) - ms[0]) * 1.05);
      return [...ms, ms[0] + span].map(at => (at - ms[0]) / span * width * Math.max(1, zoom));
    }
    const widths = ms.map((at, i) => i + 1 < ms.length ? Math.min(90, 16 + 11 * Math.log2(1 + (ms[i + 1] - at) / 100)) : 44);
    const total = widths.reduce((sum, w) => sum + w, 0);
    // However far out, the drawing is as wide as the room that it has.
    const stretch = Math.max(width / total, Math.max(1, width / total) * zoom);
    const places = [0];
    for (const w of widths) places.push(places.at(-1) + w * stretch);
    return places;
  },

  // stretches are the runs of one letter in a life: where each begins and ends, as steps.
  stretches(life) {
    const runs = [];
    for (let i = 0; i < life.length; i++) {
      if (i > 0 && life[i] === life[i - 1]) runs.at(-1).to = i + 1;
      else runs.push({ letter: life[i], from: i, to: i + 1 });
    }
    return runs.filter(run => run.letter !== '_');
  },

  offset(ns) {
    const ms = Math.round(ns / 1e6), sign = ms < 0 ? '−' : '+', size = Math.abs(ms);
    if (size < 1000) return sign + size + ' ms';
    if (size < 100000) return sign + (size / 1000).toFixed(size < 10000 ? 2 : 1) + ' s';
    return sign + Math.floor(size / 60000) + 'm' + String(Math.floor(size / 1000) % 60).padStart(2, '0') + 's';
  },
};
