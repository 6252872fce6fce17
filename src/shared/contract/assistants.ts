import { MarkSlice } from './marks.ts';
import { nullable, type Static, Type } from './schema.ts';

/** What a user can point with. `mask`: what is in a mark already. */
export const PROMPT_KINDS = ['point', 'box', 'scribble', 'mask'] as const;
export type PromptKind = (typeof PROMPT_KINDS)[number];

export const MOST_PROMPTS = 256;
/** Of one prompt, and of all prompts of a request. */
export const MOST_PROMPT_SAMPLES = 20_000;

const Index = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });

export const WireAssistant = Type.Object({
  /** Of this run of the server. Numbers of assistants that have gone are not given to others. */
  id: Type.Integer(),
  name: Type.String(),
  prompts: Type.Array(Type.Enum([...PROMPT_KINDS])),
  /** Whether a prompt may say what is outside. */
  takes_negative: Type.Boolean(),
  /** 2: an answer is about the image that the prompts are in. */
  dimensions: Type.Integer(),
  /** Why it cannot be asked now; null if it can. */
  problem: nullable(Type.String()),
});
export type WireAssistant = Static<typeof WireAssistant>;

export const AssistantsResponse = Type.Object({ assistants: Type.Array(WireAssistant) });
export type AssistantsResponse = Static<typeof AssistantsResponse>;

/** A program of this machine that answers, in `docs/assistants.md`. */
export const AssistantBody = Type.Object(
  {
    /** A loopback address with a port: `http://127.0.0.1:PORT`. */
    address: Type.String({ maxLength: 64 }),
    /** What both sides prove that they know. */
    secret: Type.String({ minLength: 32, maxLength: 256, pattern: '^[!-~]+$' }),
  },
  { additionalProperties: false },
);
export type AssistantBody = Static<typeof AssistantBody>;

export const RemovedAssistantResponse = Type.Object({ removed: Type.Integer() });
export type RemovedAssistantResponse = Static<typeof RemovedAssistantResponse>;

/** File, frame, row and column of a stored sample. */
export const PromptSample = Type.Array(Index, { minItems: 4, maxItems: 4 });

export const AssistantPrompt = Type.Object(
  {
    kind: Type.Enum(['point', 'box', 'scribble']),
    /** Of what is inside; false: of what is outside. */
    is_positive: Type.Boolean(),
    /** Of a point one, of a box those at its corners, of a scribble all in their order. */
    samples: Type.Array(PromptSample, { minItems: 1, maxItems: MOST_PROMPT_SAMPLES }),
  },
  { additionalProperties: false },
);
export type AssistantPrompt = Static<typeof AssistantPrompt>;

export const AssistantQuestion = Type.Object(
  {
    /** A frame of the stack that is asked about; of several times, that of this frame. */
    file_index: Index,
    frame_index: Index,
    prompts: Type.Array(AssistantPrompt, { maxItems: MOST_PROMPTS }),
    /** The number of a mask (`/marks`) that the answer begins from. */
    mark: Type.Optional(Index),
  },
  { additionalProperties: false },
);
export type AssistantQuestion = Static<typeof AssistantQuestion>;

export const AssistantAnswer = Type.Object({
  /** Samples of the mask; 0 if the assistant found nothing. */
  voxels: Type.Integer(),
  /** By place: what a brush mark has on the stored frames (`/marks`). */
  slices: Type.Array(MarkSlice),
});
export type AssistantAnswer = Static<typeof AssistantAnswer>;
