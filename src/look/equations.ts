/**
 * How a client computes the targets from the coefficients. Names with a dot are coefficients, names
 * of tables stand as they are; `p(t) = exp(vapour.a − vapour.b/(t + vapour.c))` is in kPa;
 * `ramp(table, x)` is linear between rows and constant beyond them.
 */
export const EQUATIONS: readonly { id: string; text: string }[] = [
  {
    id: 'profile',
    text: 'offset = profile.offsetC, else the offsetC of its label in thermalProfile, else 0; offsetC = offset·sensitivity (1). Label: the first row with fromK ≤ offset ≤ toK, null being no bound. offset(part) = regionOffsetC[part] (0) + region.coldK where coldHands (hands) or coldFeet (feet)',
  },
  {
    id: 'activity',
    text: 'M = unit.metW·met; walk = clamp(walk.perW·(M − walk.restW), 0, walk.maxMs)',
  },
  {
    id: 'air',
    text: 'vBody = clamp(wind.bodyShare·windMs, wind.minMs, wind.maxMs), indoors indoor.airMs; hc = air.convection·√(vBody + walk); iA = 1/(unit.cloSi·(air.radiation + hc))',
  },
  {
    id: 'temperatures',
    text: 'tOp = tempC + sunK(condition, by day)·air.radiation/(air.radiation + hc) − offsetC; tSk = skin.restC − skin.perW·M',
  },
  {
    id: 'humidity',
    text: 'pa = p(tempC)·humidityPct/100; g = max(vapour.refMin, p(tSk) − p(tempC)·vapour.refPct/100); kHumidity = clamp((p(tSk) − pa)/g, 0, vapour.gradMax)',
  },
  {
    id: 'evaporation',
    text: 'b = 1 − smoothstep((tempC − blend.coldC)/(blend.warmC − blend.coldC)), indoors 0; E(x) = (1 − b)·(kHumidity·sweat.diffusion·g + max(0, sweat.perW·(M − unit.metW))) + b·kHumidity·sweat.wetPerW·M·g/((sweat.resistance/sweat.im)·unit.cloSi·(x + iA)); smoothstep(y) = y²(3 − 2y), y held in 0..1',
  },
  {
    id: 'respiration',
    text: 'R = breath.dry·M·(breath.dryC − tempC) + breath.wet·M·(breath.wetKpa − pa)',
  },
  { id: 'hEff', text: 'hEff(x) = M − R − E(x) + storage.allowedW, indoors without the last' },
  {
    id: 'balance',
    text: 'fcl(x) = 1 + surface.perClo·x; iclResultant = the x in 0..icl.solveMax where x + iA/fcl(x) = (tSk − tOp)/(unit.cloSi·hEff(x)); iT = x + iA/fcl(x)',
  },
  {
    id: 'wear',
    text: 'outdoors k = wear.wind·exp(−wear.windDecay·max(wear.windFromMs, vBody) − wear.walkDecay·walk)·p^wear.airExponent − wear.airLog·ln p + wear.rest with p = wear.airRef, still = air.stillOut; indoors k = min(1, exp(−motion.air·d + motion.air2·d² − motion.walk·walk + motion.walk2·walk²)) with d = vBody + walk − motion.airMs, still = air.stillIn',
  },
  {
    id: 'iclRequired',
    text: 'iclRaw = (0 if x = 0, else max(0, iT/k − still/fcl(x))·damp(condition), indoors without damp) + cloOffset; iclRequired = clamp(iclRaw, floorClo(occasion, casual), icl.max); isHotRegime = iclRaw ≤ icl.hot',
  },
  {
    id: 'indoor',
    text: 'indoorTempC when omitted: indoor.winterC + (indoor.summerC − indoor.winterC)·clamp((tempC − indoor.heatC)/(indoor.coolC − indoor.heatC), 0, 1); indoors tempC = indoorTempC, humidityPct = indoor.rhPct, met = min(met, indoor.metMax + s·(met − indoor.metMax)) with s = clamp((met − indoor.walkMet)/(indoor.workMet − indoor.walkMet), 0, 1), unchanged for occasions whose place is not room, no sun',
  },
  {
    id: 'regions',
    text: 'S = max(0, (iclRequired − icl.atNothing)/icl.perIclu); part(r, o) = ramp(regionShare.r, iclRequired)·S·(1 + region.perK·o); U = part(top, offset(top)); top = min(U, region.topMax); outerwear = U − top, indoors 0; bottom = max(region.bottomMin, part(bottom, offset(bottom)) − region.underwear); dress = top + region.dressOfLegs·bottom',
  },
  {
    id: 'extremities',
    text: 'h = offset(hands) + offset(head); shoes = max(region.shoesMin, part(shoes, offset(feet)) − region.socks, ramp(feetRamp, tempC − offset(feet))); accessory = max(part(accessory, h), ramp(windChillRamp, chill − h))',
  },
  {
    id: 'windChill',
    text: 'w(V) = chill.a + chill.perC·tempC − chill.wind·V^chill.power + chill.both·tempC·V^chill.power, V in km/h; chill = min(tempC, w(V)), and below chill.fromKmh linear from tempC to w(chill.fromKmh); indoors tempC',
  },
  { id: 'rounding', text: 'hEff to 1 decimal, every other result to 3' },
];
