import { issue15 } from './issue-15.mjs';

export const scenes = [...issue15];
