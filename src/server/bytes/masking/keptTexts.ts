/**
 * Short texts (LO, SH) that are shown in a masked run. All others are masked, whether the profile lists them or not: the
 * table lists what is known to identify people, and a text that someone typed can say anything (Content Description, RT
 * Image Name, Radiation Machine Name, Beam Name). A new element of the standard is masked until it is added here.
 */
export const KEPT_TEXTS: ReadonlySet<number> = new Set([
  // Codes and their meanings, from published lists: Code Value to Code Meaning, Coding Scheme Registry, Mapping Resource.
  0x00080100,
  0x00080101, 0x00080102, 0x00080103, 0x00080104, 0x00080112, 0x00080119, 0x00080120, 0x00080122,
  // Products, which many sites have; the names and serial numbers of single machines are masked. Manufacturer, Model,
  // Software Versions, and the same of detectors, coils, digitizers, applications, algorithms and dose models.
  0x00020013, 0x00080070, 0x00080222, 0x00081090, 0x00181016, 0x00181018, 0x00181019, 0x00181020, 0x0018702a,
  0x0018702b, 0x00189041, 0x00189050, 0x00189524, 0x00189525, 0x00189526, 0x00620009, 0x00660031, 0x00660036,
  0x3004007f, 0x3010001a,
  // Vendors of private elements that are masked themselves: Private Creator Reference, Dimension Index and Functional
  // Group Private Creator.
  0x00080302, 0x00209213, 0x00209238,
  // How the scanner measured, in its own words: sequence, tracer and drug, nucleus, image format, route, trigger, framing,
  // rejection, filters, collimator, acquisition mode, kernel, coils, plate, respiration, labelling, energy window,
  // corrections, isotope.
  0x00180024,
  0x00180031, 0x00180034, 0x00180085, 0x00181022, 0x00181023, 0x00181040, 0x00181061, 0x00181064, 0x00181070,
  0x00181085, 0x00181160, 0x00181161, 0x00181180, 0x001811b0, 0x00181210, 0x00181250, 0x00181251, 0x00181260,
  0x00181261, 0x00189005, 0x00189047, 0x00189186, 0x00189252, 0x0018925e, 0x00189320, 0x00540018, 0x00541101,
  0x00541103, 0x00541104, 0x00541105, 0x300a0226,
  // Landmarks of the body: Position Reference Indicator, Target Position Reference Indicator.
  0x00201040, 0x0020103f,
  // What values mean: Rescale Type, Window Explanation, LUT Explanation, Modality LUT Type, LUT Label, MIME types.
  0x00281054, 0x00281055, 0x00283003, 0x00283004, 0x00409210, 0x00420012, 0x00420014,
  // Names by which parts of one object refer to each other: Stack ID, Dimension Description Label, Optical Path Identifier.
  0x00209056,
  0x00209421, 0x00480106, 0x006a000e,
]);
