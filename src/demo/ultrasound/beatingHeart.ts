/** A heart seen from its apex, at one moment of its beat. Lengths in mm: x across, y away from the probe. */
export type HeartMoment = {
  /** 0 when the ventricles are fullest, 1 when they are smallest. */
  readonly contraction: number;
  /** Opening of the inflow valves, 0 to 1. */
  readonly opening: number;
  /** Velocity of the blood through the inflow valves, and through the outflow tract; positive toward the probe. */
  readonly inflow: number;
  readonly outflow: number;
};

/** `phase` is the fraction of the beat that has passed, 0 to 1; 0 is the electrical start of the contraction. */
export function heartAt(phase: number): HeartMoment {
  const contraction = phase < 0.34 ? ease(phase / 0.34) : 1 - ease((phase - 0.34) / 0.3);
  const early = hump((phase - 0.54) / 0.13);
  const atrial = 0.7 * hump((phase - 0.88) / 0.09);
  return {
    contraction,
    opening: Math.min(1, early + atrial + (phase > 0.54 && phase < 0.9 ? 0.35 : 0)),
    inflow: early + atrial,
    outflow: -0.95 * hump((phase - 0.19) / 0.15),
  };
}

/** Echo strength at a position, in gray levels before speckle; negative in blood. */
export function echoAt(x: number, y: number, { contraction, opening }: HeartMoment): number {
  const outline = square(x / 43) + square((y - 84) / 58);
  if (outline > 1.18) return 44;
  if (outline > 1) return 50 + 110 * hump((outline - 1.09) / 0.1);
  const squeeze = 1 - 0.28 * contraction;
  const left =
    square((x - 14 - 0.05 * (y - 70)) / (15 * squeeze)) +
    square((y - 66 - 4 * contraction) / (34 * (1 - 0.12 * contraction)));
  const right =
    square((x + 18 + 0.14 * (y - 68)) / (11 * (1 - 0.22 * contraction))) + square((y - 70 - 3 * contraction) / 27);
  const atria = 1 + 0.12 * contraction;
  const leftAtrium = square((x - 15) / (14.5 * atria)) + square((y - 117) / (15 * atria));
  const rightAtrium = square((x + 17) / (13 * atria)) + square((y - 115) / (14 * atria));
  const mitral = square((x - 15) / 11) + square((y - VALVE_Y) / 9);
  const tricuspid = square((x + 19) / 9) + square((y - VALVE_Y) / 9);
  const cavity = Math.min(left, right, leftAtrium, rightAtrium, mitral, tricuspid);
  const leaflet = Math.max(leafletAt(x - 15, y, { opening, reach: 12 }), leafletAt(x + 19, y, { opening, reach: 10 }));
  if (leaflet > 0) return 64 + 120 * leaflet;
  if (cavity < 1) return -52 + 50 * square(square(cavity));
  return cavity < 1.16 ? 112 : 84;
}

/** Depth of the rings to which the inflow valves are attached. */
const VALVE_Y = 101;

/**
 * Two leaflets are attached to a ring and swing toward the apex as the valve opens. 1 on a leaflet, 0 away from both.
 */
function leafletAt(x: number, y: number, { opening, reach }: { opening: number; reach: number }): number {
  const along = Math.abs(x) / reach;
  if (along > 1) return 0;
  const lift = (1 - along) * 15 * opening;
  const gap = 0.75 * opening * reach;
  if (Math.abs(x) < gap) return 0;
  return Math.max(0, 1 - Math.abs(y - (VALVE_Y - lift * 1.4 - 1.5 * along)) / 1.7);
}

/** Velocity of the blood, -1 to 1. */
export function velocityAt(x: number, y: number, { inflow, outflow }: HeartMoment): number {
  const jet = square((x - 15 + 0.04 * (y - 100)) / 8) + square((y - 88) / 28);
  const out = square((x - 5 - 0.16 * (y - 80)) / 6.5) + square((y - 82) / 22);
  const toward = jet < 1 ? inflow * (1 - jet) : 0;
  const away = out < 1 ? outflow * (1 - out) : 0;
  return toward + away;
}

/** The voltage of the electrocardiogram, about -0.3 to 1. */
export function voltageAt(phase: number): number {
  const wave = (center: number, width: number) => hump((((((phase - center) % 1) + 1.5) % 1) - 0.5) / width);
  return (
    0.12 * wave(0.86, 0.05) -
    0.14 * wave(0.975, 0.012) +
    wave(0, 0.018) -
    0.24 * wave(0.028, 0.014) +
    0.26 * wave(0.3, 0.09)
  );
}

function square(value: number): number {
  return value * value;
}

/** 1 at 0, falling smoothly to 0 at -1 and 1. */
function hump(t: number): number {
  return t <= -1 || t >= 1 ? 0 : square(1 - t * t);
}

function ease(t: number): number {
  return t >= 1 ? 1 : t * t * (3 - 2 * t);
}
