/** What a state means for the reader. Colour is never the only sign of it. */
export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'idle';
