/* The named character references of the HTML standard: data, made from its list; see entities.h for
 * how to find one. */
#include "entities.h"

/* Each is its name without '&' and ';', a blank if it may come without the ';' (or '='), and what
 * it stands for; sorted by name. */
const char weft__html_entities[] =
    // clang-format off
    "AElig \u00C6AMP &Aacute \u00C1Abreve=\u0102Acirc \u00C2Acy=\u0410Afr=\U0001D504Agrave \u00C0"
    "Alpha=\u0391Amacr=\u0100And=\u2A53Aogon=\u0104Aopf=\U0001D538ApplyFunction=\u2061Aring \u00C5"
    "Ascr=\U0001D49CAssign=\u2254Atilde \u00C3Auml \u00C4Backslash=\u2216Barv=\u2AE7Barwed=\u2306"
    "Bcy=\u0411Because=\u2235Bernoullis=\u212CBeta=\u0392Bfr=\U0001D505Bopf=\U0001D539Breve=\u02D8"
    "Bscr=\u212CBumpeq=\u224ECHcy=\u0427COPY \u00A9Cacute=\u0106Cap=\u22D2"
    "CapitalDifferentialD=\u2145Cayleys=\u212DCcaron=\u010CCcedil \u00C7Ccirc=\u0108Cconint=\u2230"
    "Cdot=\u010ACedilla=\u00B8CenterDot=\u00B7Cfr=\u212DChi=\u03A7CircleDot=\u2299"
    "CircleMinus=\u2296CirclePlus=\u2295CircleTimes=\u2297ClockwiseContourIntegral=\u2232"
    "CloseCurlyDoubleQuote=\u201DCloseCurlyQuote=\u2019Colon=\u2237Colone=\u2A74Congruent=\u2261"
    "Conint=\u222FContourIntegral=\u222ECopf=\u2102Coproduct=\u2210"
    "CounterClockwiseContourIntegral=\u2233Cross=\u2A2FCscr=\U0001D49ECup=\u22D3CupCap=\u224D"
    "DD=\u2145DDotrahd=\u2911DJcy=\u0402DScy=\u0405DZcy=\u040FDagger=\u2021Darr=\u21A1Dashv=\u2AE4"
    "Dcaron=\u010EDcy=\u0414Del=\u2207Delta=\u0394Dfr=\U0001D507DiacriticalAcute=\u00B4"
    "DiacriticalDot=\u02D9DiacriticalDoubleAcute=\u02DDDiacriticalGrave=`DiacriticalTilde=\u02DC"
    "Diamond=\u22C4DifferentialD=\u2146Dopf=\U0001D53BDot=\u00A8DotDot=\u20DCDotEqual=\u2250"
    "DoubleContourIntegral=\u222FDoubleDot=\u00A8DoubleDownArrow=\u21D3DoubleLeftArrow=\u21D0"
    "DoubleLeftRightArrow=\u21D4DoubleLeftTee=\u2AE4DoubleLongLeftArrow=\u27F8"
    "DoubleLongLeftRightArrow=\u27FADoubleLongRightArrow=\u27F9DoubleRightArrow=\u21D2"
    "DoubleRightTee=\u22A8DoubleUpArrow=\u21D1DoubleUpDownArrow=\u21D5DoubleVerticalBar=\u2225"
    "DownArrow=\u2193DownArrowBar=\u2913DownArrowUpArrow=\u21F5DownBreve=\u0311"
    "DownLeftRightVector=\u2950DownLeftTeeVector=\u295EDownLeftVector=\u21BD"
    "DownLeftVectorBar=\u2956DownRightTeeVector=\u295FDownRightVector=\u21C1"
    "DownRightVectorBar=\u2957DownTee=\u22A4DownTeeArrow=\u21A7Downarrow=\u21D3Dscr=\U0001D49F"
    "Dstrok=\u0110ENG=\u014AETH \u00D0Eacute \u00C9Ecaron=\u011AEcirc \u00CAEcy=\u042DEdot=\u0116"
    "Efr=\U0001D508Egrave \u00C8Element=\u2208Emacr=\u0112EmptySmallSquare=\u25FB"
    "EmptyVerySmallSquare=\u25ABEogon=\u0118Eopf=\U0001D53CEpsilon=\u0395Equal=\u2A75"
    "EqualTilde=\u2242Equilibrium=\u21CCEscr=\u2130Esim=\u2A73Eta=\u0397Euml \u00CBExists=\u2203"
    "ExponentialE=\u2147Fcy=\u0424Ffr=\U0001D509FilledSmallSquare=\u25FC"
    "FilledVerySmallSquare=\u25AAFopf=\U0001D53DForAll=\u2200Fouriertrf=\u2131Fscr=\u2131"
    "GJcy=\u0403GT >Gamma=\u0393Gammad=\u03DCGbreve=\u011EGcedil=\u0122Gcirc=\u011CGcy=\u0413"
    "Gdot=\u0120Gfr=\U0001D50AGg=\u22D9Gopf=\U0001D53EGreaterEqual=\u2265GreaterEqualLess=\u22DB"
    "GreaterFullEqual=\u2267GreaterGreater=\u2AA2GreaterLess=\u2277GreaterSlantEqual=\u2A7E"
    "GreaterTilde=\u2273Gscr=\U0001D4A2Gt=\u226BHARDcy=\u042AHacek=\u02C7Hat=^Hcirc=\u0124"
    "Hfr=\u210CHilbertSpace=\u210BHopf=\u210DHorizontalLine=\u2500Hscr=\u210BHstrok=\u0126"
    "HumpDownHump=\u224EHumpEqual=\u224FIEcy=\u0415IJlig=\u0132IOcy=\u0401Iacute \u00CD"
    "Icirc \u00CEIcy=\u0418Idot=\u0130Ifr=\u2111Igrave \u00CCIm=\u2111Imacr=\u012A"
    "ImaginaryI=\u2148Implies=\u21D2Int=\u222CIntegral=\u222BIntersection=\u22C2"
    "InvisibleComma=\u2063InvisibleTimes=\u2062Iogon=\u012EIopf=\U0001D540Iota=\u0399Iscr=\u2110"
    "Itilde=\u0128Iukcy=\u0406Iuml \u00CFJcirc=\u0134Jcy=\u0419Jfr=\U0001D50DJopf=\U0001D541"
    "Jscr=\U0001D4A5Jsercy=\u0408Jukcy=\u0404KHcy=\u0425KJcy=\u040CKappa=\u039AKcedil=\u0136"
    "Kcy=\u041AKfr=\U0001D50EKopf=\U0001D542Kscr=\U0001D4A6LJcy=\u0409LT <Lacute=\u0139"
    "Lambda=\u039BLang=\u27EALaplacetrf=\u2112Larr=\u219ELcaron=\u013DLcedil=\u013BLcy=\u041B"
    "LeftAngleBracket=\u27E8LeftArrow=\u2190LeftArrowBar=\u21E4LeftArrowRightArrow=\u21C6"
    "LeftCeiling=\u2308LeftDoubleBracket=\u27E6LeftDownTeeVector=\u2961LeftDownVector=\u21C3"
    "LeftDownVectorBar=\u2959LeftFloor=\u230ALeftRightArrow=\u2194LeftRightVector=\u294E"
    "LeftTee=\u22A3LeftTeeArrow=\u21A4LeftTeeVector=\u295ALeftTriangle=\u22B2"
    "LeftTriangleBar=\u29CFLeftTriangleEqual=\u22B4LeftUpDownVector=\u2951LeftUpTeeVector=\u2960"
    "LeftUpVector=\u21BFLeftUpVectorBar=\u2958LeftVector=\u21BCLeftVectorBar=\u2952"
    "Leftarrow=\u21D0Leftrightarrow=\u21D4LessEqualGreater=\u22DALessFullEqual=\u2266"
    "LessGreater=\u2276LessLess=\u2AA1LessSlantEqual=\u2A7DLessTilde=\u2272Lfr=\U0001D50FLl=\u22D8"
    "Lleftarrow=\u21DALmidot=\u013FLongLeftArrow=\u27F5LongLeftRightArrow=\u27F7"
    "LongRightArrow=\u27F6Longleftarrow=\u27F8Longleftrightarrow=\u27FALongrightarrow=\u27F9"
    "Lopf=\U0001D543LowerLeftArrow=\u2199LowerRightArrow=\u2198Lscr=\u2112Lsh=\u21B0Lstrok=\u0141"
    "Lt=\u226AMap=\u2905Mcy=\u041CMediumSpace=\u205FMellintrf=\u2133Mfr=\U0001D510MinusPlus=\u2213"
    "Mopf=\U0001D544Mscr=\u2133Mu=\u039CNJcy=\u040ANacute=\u0143Ncaron=\u0147Ncedil=\u0145"
    "Ncy=\u041DNegativeMediumSpace=\u200BNegativeThickSpace=\u200BNegativeThinSpace=\u200B"
    "NegativeVeryThinSpace=\u200BNestedGreaterGreater=\u226BNestedLessLess=\u226ANewLine=\n"
    "Nfr=\U0001D511NoBreak=\u2060NonBreakingSpace=\u00A0Nopf=\u2115Not=\u2AECNotCongruent=\u2262"
    "NotCupCap=\u226DNotDoubleVerticalBar=\u2226NotElement=\u2209NotEqual=\u2260"
    "NotEqualTilde=\u2242\u0338NotExists=\u2204NotGreater=\u226FNotGreaterEqual=\u2271"
    "NotGreaterFullEqual=\u2267\u0338NotGreaterGreater=\u226B\u0338NotGreaterLess=\u2279"
    "NotGreaterSlantEqual=\u2A7E\u0338NotGreaterTilde=\u2275NotHumpDownHump=\u224E\u0338"
    "NotHumpEqual=\u224F\u0338NotLeftTriangle=\u22EANotLeftTriangleBar=\u29CF\u0338"
    "NotLeftTriangleEqual=\u22ECNotLess=\u226ENotLessEqual=\u2270NotLessGreater=\u2278"
    "NotLessLess=\u226A\u0338NotLessSlantEqual=\u2A7D\u0338NotLessTilde=\u2274"
    "NotNestedGreaterGreater=\u2AA2\u0338NotNestedLessLess=\u2AA1\u0338NotPrecedes=\u2280"
    "NotPrecedesEqual=\u2AAF\u0338NotPrecedesSlantEqual=\u22E0NotReverseElement=\u220C"
    "NotRightTriangle=\u22EBNotRightTriangleBar=\u29D0\u0338NotRightTriangleEqual=\u22ED"
    "NotSquareSubset=\u228F\u0338NotSquareSubsetEqual=\u22E2NotSquareSuperset=\u2290\u0338"
    "NotSquareSupersetEqual=\u22E3NotSubset=\u2282\u20D2NotSubsetEqual=\u2288NotSucceeds=\u2281"
    "NotSucceedsEqual=\u2AB0\u0338NotSucceedsSlantEqual=\u22E1NotSucceedsTilde=\u227F\u0338"
    "NotSuperset=\u2283\u20D2NotSupersetEqual=\u2289NotTilde=\u2241NotTildeEqual=\u2244"
    "NotTildeFullEqual=\u2247NotTildeTilde=\u2249NotVerticalBar=\u2224Nscr=\U0001D4A9Ntilde \u00D1"
    "Nu=\u039DOElig=\u0152Oacute \u00D3Ocirc \u00D4Ocy=\u041EOdblac=\u0150Ofr=\U0001D512"
    "Ograve \u00D2Omacr=\u014COmega=\u03A9Omicron=\u039FOopf=\U0001D546OpenCurlyDoubleQuote=\u201C"
    "OpenCurlyQuote=\u2018Or=\u2A54Oscr=\U0001D4AAOslash \u00D8Otilde \u00D5Otimes=\u2A37"
    "Ouml \u00D6OverBar=\u203EOverBrace=\u23DEOverBracket=\u23B4OverParenthesis=\u23DC"
    "PartialD=\u2202Pcy=\u041FPfr=\U0001D513Phi=\u03A6Pi=\u03A0PlusMinus=\u00B1"
    "Poincareplane=\u210CPopf=\u2119Pr=\u2ABBPrecedes=\u227APrecedesEqual=\u2AAF"
    "PrecedesSlantEqual=\u227CPrecedesTilde=\u227EPrime=\u2033Product=\u220FProportion=\u2237"
    "Proportional=\u221DPscr=\U0001D4ABPsi=\u03A8QUOT \"Qfr=\U0001D514Qopf=\u211AQscr=\U0001D4AC"
    "RBarr=\u2910REG \u00AERacute=\u0154Rang=\u27EBRarr=\u21A0Rarrtl=\u2916Rcaron=\u0158"
    "Rcedil=\u0156Rcy=\u0420Re=\u211CReverseElement=\u220BReverseEquilibrium=\u21CB"
    "ReverseUpEquilibrium=\u296FRfr=\u211CRho=\u03A1RightAngleBracket=\u27E9RightArrow=\u2192"
    "RightArrowBar=\u21E5RightArrowLeftArrow=\u21C4RightCeiling=\u2309RightDoubleBracket=\u27E7"
    "RightDownTeeVector=\u295DRightDownVector=\u21C2RightDownVectorBar=\u2955RightFloor=\u230B"
    "RightTee=\u22A2RightTeeArrow=\u21A6RightTeeVector=\u295BRightTriangle=\u22B3"
    "RightTriangleBar=\u29D0RightTriangleEqual=\u22B5RightUpDownVector=\u294F"
    "RightUpTeeVector=\u295CRightUpVector=\u21BERightUpVectorBar=\u2954RightVector=\u21C0"
    "RightVectorBar=\u2953Rightarrow=\u21D2Ropf=\u211DRoundImplies=\u2970Rrightarrow=\u21DB"
    "Rscr=\u211BRsh=\u21B1RuleDelayed=\u29F4SHCHcy=\u0429SHcy=\u0428SOFTcy=\u042CSacute=\u015A"
    "Sc=\u2ABCScaron=\u0160Scedil=\u015EScirc=\u015CScy=\u0421Sfr=\U0001D516ShortDownArrow=\u2193"
    "ShortLeftArrow=\u2190ShortRightArrow=\u2192ShortUpArrow=\u2191Sigma=\u03A3SmallCircle=\u2218"
    "Sopf=\U0001D54ASqrt=\u221ASquare=\u25A1SquareIntersection=\u2293SquareSubset=\u228F"
    "SquareSubsetEqual=\u2291SquareSuperset=\u2290SquareSupersetEqual=\u2292SquareUnion=\u2294"
    "Sscr=\U0001D4AEStar=\u22C6Sub=\u22D0Subset=\u22D0SubsetEqual=\u2286Succeeds=\u227B"
    "SucceedsEqual=\u2AB0SucceedsSlantEqual=\u227DSucceedsTilde=\u227FSuchThat=\u220BSum=\u2211"
    "Sup=\u22D1Superset=\u2283SupersetEqual=\u2287Supset=\u22D1THORN \u00DETRADE=\u2122"
    "TSHcy=\u040BTScy=\u0426Tab=\tTau=\u03A4Tcaron=\u0164Tcedil=\u0162Tcy=\u0422Tfr=\U0001D517"
    "Therefore=\u2234Theta=\u0398ThickSpace=\u205F\u200AThinSpace=\u2009Tilde=\u223C"
    "TildeEqual=\u2243TildeFullEqual=\u2245TildeTilde=\u2248Topf=\U0001D54BTripleDot=\u20DB"
    "Tscr=\U0001D4AFTstrok=\u0166Uacute \u00DAUarr=\u219FUarrocir=\u2949Ubrcy=\u040EUbreve=\u016C"
    "Ucirc \u00DBUcy=\u0423Udblac=\u0170Ufr=\U0001D518Ugrave \u00D9Umacr=\u016AUnderBar=_"
    "UnderBrace=\u23DFUnderBracket=\u23B5UnderParenthesis=\u23DDUnion=\u22C3UnionPlus=\u228E"
    "Uogon=\u0172Uopf=\U0001D54CUpArrow=\u2191UpArrowBar=\u2912UpArrowDownArrow=\u21C5"
    "UpDownArrow=\u2195UpEquilibrium=\u296EUpTee=\u22A5UpTeeArrow=\u21A5Uparrow=\u21D1"
    "Updownarrow=\u21D5UpperLeftArrow=\u2196UpperRightArrow=\u2197Upsi=\u03D2Upsilon=\u03A5"
    "Uring=\u016EUscr=\U0001D4B0Utilde=\u0168Uuml \u00DCVDash=\u22ABVbar=\u2AEBVcy=\u0412"
    "Vdash=\u22A9Vdashl=\u2AE6Vee=\u22C1Verbar=\u2016Vert=\u2016VerticalBar=\u2223VerticalLine=|"
    "VerticalSeparator=\u2758VerticalTilde=\u2240VeryThinSpace=\u200AVfr=\U0001D519Vopf=\U0001D54D"
    "Vscr=\U0001D4B1Vvdash=\u22AAWcirc=\u0174Wedge=\u22C0Wfr=\U0001D51AWopf=\U0001D54E"
    "Wscr=\U0001D4B2Xfr=\U0001D51BXi=\u039EXopf=\U0001D54FXscr=\U0001D4B3YAcy=\u042FYIcy=\u0407"
    "YUcy=\u042EYacute \u00DDYcirc=\u0176Ycy=\u042BYfr=\U0001D51CYopf=\U0001D550Yscr=\U0001D4B4"
    "Yuml=\u0178ZHcy=\u0416Zacute=\u0179Zcaron=\u017DZcy=\u0417Zdot=\u017BZeroWidthSpace=\u200B"
    "Zeta=\u0396Zfr=\u2128Zopf=\u2124Zscr=\U0001D4B5aacute \u00E1abreve=\u0103ac=\u223E"
    "acE=\u223E\u0333acd=\u223Facirc \u00E2acute \u00B4acy=\u0430aelig \u00E6af=\u2061"
    "afr=\U0001D51Eagrave \u00E0alefsym=\u2135aleph=\u2135alpha=\u03B1amacr=\u0101amalg=\u2A3F"
    "amp &and=\u2227andand=\u2A55andd=\u2A5Candslope=\u2A58andv=\u2A5Aang=\u2220ange=\u29A4"
    "angle=\u2220angmsd=\u2221angmsdaa=\u29A8angmsdab=\u29A9angmsdac=\u29AAangmsdad=\u29AB"
    "angmsdae=\u29ACangmsdaf=\u29ADangmsdag=\u29AEangmsdah=\u29AFangrt=\u221Fangrtvb=\u22BE"
    "angrtvbd=\u299Dangsph=\u2222angst=\u00C5angzarr=\u237Caogon=\u0105aopf=\U0001D552ap=\u2248"
    "apE=\u2A70apacir=\u2A6Fape=\u224Aapid=\u224Bapos='approx=\u2248approxeq=\u224Aaring \u00E5"
    "ascr=\U0001D4B6ast=*asymp=\u2248asympeq=\u224Datilde \u00E3auml \u00E4awconint=\u2233"
    "awint=\u2A11bNot=\u2AEDbackcong=\u224Cbackepsilon=\u03F6backprime=\u2035backsim=\u223D"
    "backsimeq=\u22CDbarvee=\u22BDbarwed=\u2305barwedge=\u2305bbrk=\u23B5bbrktbrk=\u23B6"
    "bcong=\u224Cbcy=\u0431bdquo=\u201Ebecaus=\u2235because=\u2235bemptyv=\u29B0bepsi=\u03F6"
    "bernou=\u212Cbeta=\u03B2beth=\u2136between=\u226Cbfr=\U0001D51Fbigcap=\u22C2bigcirc=\u25EF"
    "bigcup=\u22C3bigodot=\u2A00bigoplus=\u2A01bigotimes=\u2A02bigsqcup=\u2A06bigstar=\u2605"
    "bigtriangledown=\u25BDbigtriangleup=\u25B3biguplus=\u2A04bigvee=\u22C1bigwedge=\u22C0"
    "bkarow=\u290Dblacklozenge=\u29EBblacksquare=\u25AAblacktriangle=\u25B4"
    "blacktriangledown=\u25BEblacktriangleleft=\u25C2blacktriangleright=\u25B8blank=\u2423"
    "blk12=\u2592blk14=\u2591blk34=\u2593block=\u2588bne==\u20E5bnequiv=\u2261\u20E5bnot=\u2310"
    "bopf=\U0001D553bot=\u22A5bottom=\u22A5bowtie=\u22C8boxDL=\u2557boxDR=\u2554boxDl=\u2556"
    "boxDr=\u2553boxH=\u2550boxHD=\u2566boxHU=\u2569boxHd=\u2564boxHu=\u2567boxUL=\u255D"
    "boxUR=\u255AboxUl=\u255CboxUr=\u2559boxV=\u2551boxVH=\u256CboxVL=\u2563boxVR=\u2560"
    "boxVh=\u256BboxVl=\u2562boxVr=\u255Fboxbox=\u29C9boxdL=\u2555boxdR=\u2552boxdl=\u2510"
    "boxdr=\u250Cboxh=\u2500boxhD=\u2565boxhU=\u2568boxhd=\u252Cboxhu=\u2534boxminus=\u229F"
    "boxplus=\u229Eboxtimes=\u22A0boxuL=\u255BboxuR=\u2558boxul=\u2518boxur=\u2514boxv=\u2502"
    "boxvH=\u256AboxvL=\u2561boxvR=\u255Eboxvh=\u253Cboxvl=\u2524boxvr=\u251Cbprime=\u2035"
    "breve=\u02D8brvbar \u00A6bscr=\U0001D4B7bsemi=\u204Fbsim=\u223Dbsime=\u22CDbsol=\\"
    "bsolb=\u29C5bsolhsub=\u27C8bull=\u2022bullet=\u2022bump=\u224EbumpE=\u2AAEbumpe=\u224F"
    "bumpeq=\u224Fcacute=\u0107cap=\u2229capand=\u2A44capbrcup=\u2A49capcap=\u2A4Bcapcup=\u2A47"
    "capdot=\u2A40caps=\u2229\uFE00caret=\u2041caron=\u02C7ccaps=\u2A4Dccaron=\u010Dccedil \u00E7"
    "ccirc=\u0109ccups=\u2A4Cccupssm=\u2A50cdot=\u010Bcedil \u00B8cemptyv=\u29B2cent \u00A2"
    "centerdot=\u00B7cfr=\U0001D520chcy=\u0447check=\u2713checkmark=\u2713chi=\u03C7cir=\u25CB"
    "cirE=\u29C3circ=\u02C6circeq=\u2257circlearrowleft=\u21BAcirclearrowright=\u21BB"
    "circledR=\u00AEcircledS=\u24C8circledast=\u229Bcircledcirc=\u229Acircleddash=\u229D"
    "cire=\u2257cirfnint=\u2A10cirmid=\u2AEFcirscir=\u29C2clubs=\u2663clubsuit=\u2663colon=:"
    "colone=\u2254coloneq=\u2254comma=,commat=@comp=\u2201compfn=\u2218complement=\u2201"
    "complexes=\u2102cong=\u2245congdot=\u2A6Dconint=\u222Ecopf=\U0001D554coprod=\u2210copy \u00A9"
    "copysr=\u2117crarr=\u21B5cross=\u2717cscr=\U0001D4B8csub=\u2ACFcsube=\u2AD1csup=\u2AD0"
    "csupe=\u2AD2ctdot=\u22EFcudarrl=\u2938cudarrr=\u2935cuepr=\u22DEcuesc=\u22DFcularr=\u21B6"
    "cularrp=\u293Dcup=\u222Acupbrcap=\u2A48cupcap=\u2A46cupcup=\u2A4Acupdot=\u228Dcupor=\u2A45"
    "cups=\u222A\uFE00curarr=\u21B7curarrm=\u293Ccurlyeqprec=\u22DEcurlyeqsucc=\u22DF"
    "curlyvee=\u22CEcurlywedge=\u22CFcurren \u00A4curvearrowleft=\u21B6curvearrowright=\u21B7"
    "cuvee=\u22CEcuwed=\u22CFcwconint=\u2232cwint=\u2231cylcty=\u232DdArr=\u21D3dHar=\u2965"
    "dagger=\u2020daleth=\u2138darr=\u2193dash=\u2010dashv=\u22A3dbkarow=\u290Fdblac=\u02DD"
    "dcaron=\u010Fdcy=\u0434dd=\u2146ddagger=\u2021ddarr=\u21CAddotseq=\u2A77deg \u00B0"
    "delta=\u03B4demptyv=\u29B1dfisht=\u297Fdfr=\U0001D521dharl=\u21C3dharr=\u21C2diam=\u22C4"
    "diamond=\u22C4diamondsuit=\u2666diams=\u2666die=\u00A8digamma=\u03DDdisin=\u22F2div=\u00F7"
    "divide \u00F7divideontimes=\u22C7divonx=\u22C7djcy=\u0452dlcorn=\u231Edlcrop=\u230Ddollar=$"
    "dopf=\U0001D555dot=\u02D9doteq=\u2250doteqdot=\u2251dotminus=\u2238dotplus=\u2214"
    "dotsquare=\u22A1doublebarwedge=\u2306downarrow=\u2193downdownarrows=\u21CA"
    "downharpoonleft=\u21C3downharpoonright=\u21C2drbkarow=\u2910drcorn=\u231Fdrcrop=\u230C"
    "dscr=\U0001D4B9dscy=\u0455dsol=\u29F6dstrok=\u0111dtdot=\u22F1dtri=\u25BFdtrif=\u25BE"
    "duarr=\u21F5duhar=\u296Fdwangle=\u29A6dzcy=\u045Fdzigrarr=\u27FFeDDot=\u2A77eDot=\u2251"
    "eacute \u00E9easter=\u2A6Eecaron=\u011Becir=\u2256ecirc \u00EAecolon=\u2255ecy=\u044D"
    "edot=\u0117ee=\u2147efDot=\u2252efr=\U0001D522eg=\u2A9Aegrave \u00E8egs=\u2A96egsdot=\u2A98"
    "el=\u2A99elinters=\u23E7ell=\u2113els=\u2A95elsdot=\u2A97emacr=\u0113empty=\u2205"
    "emptyset=\u2205emptyv=\u2205emsp=\u2003emsp13=\u2004emsp14=\u2005eng=\u014Bensp=\u2002"
    "eogon=\u0119eopf=\U0001D556epar=\u22D5eparsl=\u29E3eplus=\u2A71epsi=\u03B5epsilon=\u03B5"
    "epsiv=\u03F5eqcirc=\u2256eqcolon=\u2255eqsim=\u2242eqslantgtr=\u2A96eqslantless=\u2A95"
    "equals==equest=\u225Fequiv=\u2261equivDD=\u2A78eqvparsl=\u29E5erDot=\u2253erarr=\u2971"
    "escr=\u212Fesdot=\u2250esim=\u2242eta=\u03B7eth \u00F0euml \u00EBeuro=\u20ACexcl=!"
    "exist=\u2203expectation=\u2130exponentiale=\u2147fallingdotseq=\u2252fcy=\u0444female=\u2640"
    "ffilig=\uFB03fflig=\uFB00ffllig=\uFB04ffr=\U0001D523filig=\uFB01fjlig=fjflat=\u266D"
    "fllig=\uFB02fltns=\u25B1fnof=\u0192fopf=\U0001D557forall=\u2200fork=\u22D4forkv=\u2AD9"
    "fpartint=\u2A0Dfrac12 \u00BDfrac13=\u2153frac14 \u00BCfrac15=\u2155frac16=\u2159frac18=\u215B"
    "frac23=\u2154frac25=\u2156frac34 \u00BEfrac35=\u2157frac38=\u215Cfrac45=\u2158frac56=\u215A"
    "frac58=\u215Dfrac78=\u215Efrasl=\u2044frown=\u2322fscr=\U0001D4BBgE=\u2267gEl=\u2A8C"
    "gacute=\u01F5gamma=\u03B3gammad=\u03DDgap=\u2A86gbreve=\u011Fgcirc=\u011Dgcy=\u0433"
    "gdot=\u0121ge=\u2265gel=\u22DBgeq=\u2265geqq=\u2267geqslant=\u2A7Eges=\u2A7Egescc=\u2AA9"
    "gesdot=\u2A80gesdoto=\u2A82gesdotol=\u2A84gesl=\u22DB\uFE00gesles=\u2A94gfr=\U0001D524"
    "gg=\u226Bggg=\u22D9gimel=\u2137gjcy=\u0453gl=\u2277glE=\u2A92gla=\u2AA5glj=\u2AA4gnE=\u2269"
    "gnap=\u2A8Agnapprox=\u2A8Agne=\u2A88gneq=\u2A88gneqq=\u2269gnsim=\u22E7gopf=\U0001D558grave=`"
    "gscr=\u210Agsim=\u2273gsime=\u2A8Egsiml=\u2A90gt >gtcc=\u2AA7gtcir=\u2A7Agtdot=\u22D7"
    "gtlPar=\u2995gtquest=\u2A7Cgtrapprox=\u2A86gtrarr=\u2978gtrdot=\u22D7gtreqless=\u22DB"
    "gtreqqless=\u2A8Cgtrless=\u2277gtrsim=\u2273gvertneqq=\u2269\uFE00gvnE=\u2269\uFE00"
    "hArr=\u21D4hairsp=\u200Ahalf=\u00BDhamilt=\u210Bhardcy=\u044Aharr=\u2194harrcir=\u2948"
    "harrw=\u21ADhbar=\u210Fhcirc=\u0125hearts=\u2665heartsuit=\u2665hellip=\u2026hercon=\u22B9"
    "hfr=\U0001D525hksearow=\u2925hkswarow=\u2926hoarr=\u21FFhomtht=\u223Bhookleftarrow=\u21A9"
    "hookrightarrow=\u21AAhopf=\U0001D559horbar=\u2015hscr=\U0001D4BDhslash=\u210Fhstrok=\u0127"
    "hybull=\u2043hyphen=\u2010iacute \u00EDic=\u2063icirc \u00EEicy=\u0438iecy=\u0435iexcl \u00A1"
    "iff=\u21D4ifr=\U0001D526igrave \u00ECii=\u2148iiiint=\u2A0Ciiint=\u222Diinfin=\u29DC"
    "iiota=\u2129ijlig=\u0133imacr=\u012Bimage=\u2111imagline=\u2110imagpart=\u2111imath=\u0131"
    "imof=\u22B7imped=\u01B5in=\u2208incare=\u2105infin=\u221Einfintie=\u29DDinodot=\u0131"
    "int=\u222Bintcal=\u22BAintegers=\u2124intercal=\u22BAintlarhk=\u2A17intprod=\u2A3Ciocy=\u0451"
    "iogon=\u012Fiopf=\U0001D55Aiota=\u03B9iprod=\u2A3Ciquest \u00BFiscr=\U0001D4BEisin=\u2208"
    "isinE=\u22F9isindot=\u22F5isins=\u22F4isinsv=\u22F3isinv=\u2208it=\u2062itilde=\u0129"
    "iukcy=\u0456iuml \u00EFjcirc=\u0135jcy=\u0439jfr=\U0001D527jmath=\u0237jopf=\U0001D55B"
    "jscr=\U0001D4BFjsercy=\u0458jukcy=\u0454kappa=\u03BAkappav=\u03F0kcedil=\u0137kcy=\u043A"
    "kfr=\U0001D528kgreen=\u0138khcy=\u0445kjcy=\u045Ckopf=\U0001D55Ckscr=\U0001D4C0lAarr=\u21DA"
    "lArr=\u21D0lAtail=\u291BlBarr=\u290ElE=\u2266lEg=\u2A8BlHar=\u2962lacute=\u013A"
    "laemptyv=\u29B4lagran=\u2112lambda=\u03BBlang=\u27E8langd=\u2991langle=\u27E8lap=\u2A85"
    "laquo \u00ABlarr=\u2190larrb=\u21E4larrbfs=\u291Flarrfs=\u291Dlarrhk=\u21A9larrlp=\u21AB"
    "larrpl=\u2939larrsim=\u2973larrtl=\u21A2lat=\u2AABlatail=\u2919late=\u2AADlates=\u2AAD\uFE00"
    "lbarr=\u290Clbbrk=\u2772lbrace={lbrack=[lbrke=\u298Blbrksld=\u298Flbrkslu=\u298Dlcaron=\u013E"
    "lcedil=\u013Clceil=\u2308lcub={lcy=\u043Bldca=\u2936ldquo=\u201Cldquor=\u201Eldrdhar=\u2967"
    "ldrushar=\u294Bldsh=\u21B2le=\u2264leftarrow=\u2190leftarrowtail=\u21A2leftharpoondown=\u21BD"
    "leftharpoonup=\u21BCleftleftarrows=\u21C7leftrightarrow=\u2194leftrightarrows=\u21C6"
    "leftrightharpoons=\u21CBleftrightsquigarrow=\u21ADleftthreetimes=\u22CBleg=\u22DAleq=\u2264"
    "leqq=\u2266leqslant=\u2A7Dles=\u2A7Dlescc=\u2AA8lesdot=\u2A7Flesdoto=\u2A81lesdotor=\u2A83"
    "lesg=\u22DA\uFE00lesges=\u2A93lessapprox=\u2A85lessdot=\u22D6lesseqgtr=\u22DA"
    "lesseqqgtr=\u2A8Blessgtr=\u2276lesssim=\u2272lfisht=\u297Clfloor=\u230Alfr=\U0001D529"
    "lg=\u2276lgE=\u2A91lhard=\u21BDlharu=\u21BClharul=\u296Alhblk=\u2584ljcy=\u0459ll=\u226A"
    "llarr=\u21C7llcorner=\u231Ellhard=\u296Blltri=\u25FAlmidot=\u0140lmoust=\u23B0"
    "lmoustache=\u23B0lnE=\u2268lnap=\u2A89lnapprox=\u2A89lne=\u2A87lneq=\u2A87lneqq=\u2268"
    "lnsim=\u22E6loang=\u27ECloarr=\u21FDlobrk=\u27E6longleftarrow=\u27F5longleftrightarrow=\u27F7"
    "longmapsto=\u27FClongrightarrow=\u27F6looparrowleft=\u21ABlooparrowright=\u21AClopar=\u2985"
    "lopf=\U0001D55Dloplus=\u2A2Dlotimes=\u2A34lowast=\u2217lowbar=_loz=\u25CAlozenge=\u25CA"
    "lozf=\u29EBlpar=(lparlt=\u2993lrarr=\u21C6lrcorner=\u231Flrhar=\u21CBlrhard=\u296Dlrm=\u200E"
    "lrtri=\u22BFlsaquo=\u2039lscr=\U0001D4C1lsh=\u21B0lsim=\u2272lsime=\u2A8Dlsimg=\u2A8Flsqb=["
    "lsquo=\u2018lsquor=\u201Alstrok=\u0142lt <ltcc=\u2AA6ltcir=\u2A79ltdot=\u22D6lthree=\u22CB"
    "ltimes=\u22C9ltlarr=\u2976ltquest=\u2A7BltrPar=\u2996ltri=\u25C3ltrie=\u22B4ltrif=\u25C2"
    "lurdshar=\u294Aluruhar=\u2966lvertneqq=\u2268\uFE00lvnE=\u2268\uFE00mDDot=\u223Amacr \u00AF"
    "male=\u2642malt=\u2720maltese=\u2720map=\u21A6mapsto=\u21A6mapstodown=\u21A7mapstoleft=\u21A4"
    "mapstoup=\u21A5marker=\u25AEmcomma=\u2A29mcy=\u043Cmdash=\u2014measuredangle=\u2221"
    "mfr=\U0001D52Amho=\u2127micro \u00B5mid=\u2223midast=*midcir=\u2AF0middot \u00B7minus=\u2212"
    "minusb=\u229Fminusd=\u2238minusdu=\u2A2Amlcp=\u2ADBmldr=\u2026mnplus=\u2213models=\u22A7"
    "mopf=\U0001D55Emp=\u2213mscr=\U0001D4C2mstpos=\u223Emu=\u03BCmultimap=\u22B8mumap=\u22B8"
    "nGg=\u22D9\u0338nGt=\u226B\u20D2nGtv=\u226B\u0338nLeftarrow=\u21CDnLeftrightarrow=\u21CE"
    "nLl=\u22D8\u0338nLt=\u226A\u20D2nLtv=\u226A\u0338nRightarrow=\u21CFnVDash=\u22AFnVdash=\u22AE"
    "nabla=\u2207nacute=\u0144nang=\u2220\u20D2nap=\u2249napE=\u2A70\u0338napid=\u224B\u0338"
    "napos=\u0149napprox=\u2249natur=\u266Enatural=\u266Enaturals=\u2115nbsp \u00A0"
    "nbump=\u224E\u0338nbumpe=\u224F\u0338ncap=\u2A43ncaron=\u0148ncedil=\u0146ncong=\u2247"
    "ncongdot=\u2A6D\u0338ncup=\u2A42ncy=\u043Dndash=\u2013ne=\u2260neArr=\u21D7nearhk=\u2924"
    "nearr=\u2197nearrow=\u2197nedot=\u2250\u0338nequiv=\u2262nesear=\u2928nesim=\u2242\u0338"
    "nexist=\u2204nexists=\u2204nfr=\U0001D52BngE=\u2267\u0338nge=\u2271ngeq=\u2271"
    "ngeqq=\u2267\u0338ngeqslant=\u2A7E\u0338nges=\u2A7E\u0338ngsim=\u2275ngt=\u226Fngtr=\u226F"
    "nhArr=\u21CEnharr=\u21AEnhpar=\u2AF2ni=\u220Bnis=\u22FCnisd=\u22FAniv=\u220Bnjcy=\u045A"
    "nlArr=\u21CDnlE=\u2266\u0338nlarr=\u219Anldr=\u2025nle=\u2270nleftarrow=\u219A"
    "nleftrightarrow=\u21AEnleq=\u2270nleqq=\u2266\u0338nleqslant=\u2A7D\u0338nles=\u2A7D\u0338"
    "nless=\u226Enlsim=\u2274nlt=\u226Enltri=\u22EAnltrie=\u22ECnmid=\u2224nopf=\U0001D55F"
    "not \u00ACnotin=\u2209notinE=\u22F9\u0338notindot=\u22F5\u0338notinva=\u2209notinvb=\u22F7"
    "notinvc=\u22F6notni=\u220Cnotniva=\u220Cnotnivb=\u22FEnotnivc=\u22FDnpar=\u2226"
    "nparallel=\u2226nparsl=\u2AFD\u20E5npart=\u2202\u0338npolint=\u2A14npr=\u2280nprcue=\u22E0"
    "npre=\u2AAF\u0338nprec=\u2280npreceq=\u2AAF\u0338nrArr=\u21CFnrarr=\u219Bnrarrc=\u2933\u0338"
    "nrarrw=\u219D\u0338nrightarrow=\u219Bnrtri=\u22EBnrtrie=\u22EDnsc=\u2281nsccue=\u22E1"
    "nsce=\u2AB0\u0338nscr=\U0001D4C3nshortmid=\u2224nshortparallel=\u2226nsim=\u2241nsime=\u2244"
    "nsimeq=\u2244nsmid=\u2224nspar=\u2226nsqsube=\u22E2nsqsupe=\u22E3nsub=\u2284"
    "nsubE=\u2AC5\u0338nsube=\u2288nsubset=\u2282\u20D2nsubseteq=\u2288nsubseteqq=\u2AC5\u0338"
    "nsucc=\u2281nsucceq=\u2AB0\u0338nsup=\u2285nsupE=\u2AC6\u0338nsupe=\u2289nsupset=\u2283\u20D2"
    "nsupseteq=\u2289nsupseteqq=\u2AC6\u0338ntgl=\u2279ntilde \u00F1ntlg=\u2278"
    "ntriangleleft=\u22EAntrianglelefteq=\u22ECntriangleright=\u22EBntrianglerighteq=\u22ED"
    "nu=\u03BDnum=#numero=\u2116numsp=\u2007nvDash=\u22ADnvHarr=\u2904nvap=\u224D\u20D2"
    "nvdash=\u22ACnvge=\u2265\u20D2nvgt=>\u20D2nvinfin=\u29DEnvlArr=\u2902nvle=\u2264\u20D2"
    "nvlt=<\u20D2nvltrie=\u22B4\u20D2nvrArr=\u2903nvrtrie=\u22B5\u20D2nvsim=\u223C\u20D2"
    "nwArr=\u21D6nwarhk=\u2923nwarr=\u2196nwarrow=\u2196nwnear=\u2927oS=\u24C8oacute \u00F3"
    "oast=\u229Bocir=\u229Aocirc \u00F4ocy=\u043Eodash=\u229Dodblac=\u0151odiv=\u2A38odot=\u2299"
    "odsold=\u29BCoelig=\u0153ofcir=\u29BFofr=\U0001D52Cogon=\u02DBograve \u00F2ogt=\u29C1"
    "ohbar=\u29B5ohm=\u03A9oint=\u222Eolarr=\u21BAolcir=\u29BEolcross=\u29BBoline=\u203Eolt=\u29C0"
    "omacr=\u014Domega=\u03C9omicron=\u03BFomid=\u29B6ominus=\u2296oopf=\U0001D560opar=\u29B7"
    "operp=\u29B9oplus=\u2295or=\u2228orarr=\u21BBord=\u2A5Dorder=\u2134orderof=\u2134ordf \u00AA"
    "ordm \u00BAorigof=\u22B6oror=\u2A56orslope=\u2A57orv=\u2A5Boscr=\u2134oslash \u00F8"
    "osol=\u2298otilde \u00F5otimes=\u2297otimesas=\u2A36ouml \u00F6ovbar=\u233Dpar=\u2225"
    "para \u00B6parallel=\u2225parsim=\u2AF3parsl=\u2AFDpart=\u2202pcy=\u043Fpercnt=%period=."
    "permil=\u2030perp=\u22A5pertenk=\u2031pfr=\U0001D52Dphi=\u03C6phiv=\u03D5phmmat=\u2133"
    "phone=\u260Epi=\u03C0pitchfork=\u22D4piv=\u03D6planck=\u210Fplanckh=\u210Eplankv=\u210Fplus=+"
    "plusacir=\u2A23plusb=\u229Epluscir=\u2A22plusdo=\u2214plusdu=\u2A25pluse=\u2A72plusmn \u00B1"
    "plussim=\u2A26plustwo=\u2A27pm=\u00B1pointint=\u2A15popf=\U0001D561pound \u00A3pr=\u227A"
    "prE=\u2AB3prap=\u2AB7prcue=\u227Cpre=\u2AAFprec=\u227Aprecapprox=\u2AB7preccurlyeq=\u227C"
    "preceq=\u2AAFprecnapprox=\u2AB9precneqq=\u2AB5precnsim=\u22E8precsim=\u227Eprime=\u2032"
    "primes=\u2119prnE=\u2AB5prnap=\u2AB9prnsim=\u22E8prod=\u220Fprofalar=\u232Eprofline=\u2312"
    "profsurf=\u2313prop=\u221Dpropto=\u221Dprsim=\u227Eprurel=\u22B0pscr=\U0001D4C5psi=\u03C8"
    "puncsp=\u2008qfr=\U0001D52Eqint=\u2A0Cqopf=\U0001D562qprime=\u2057qscr=\U0001D4C6"
    "quaternions=\u210Dquatint=\u2A16quest=\?questeq=\u225Fquot \"rAarr=\u21DBrArr=\u21D2"
    "rAtail=\u291CrBarr=\u290FrHar=\u2964race=\u223D\u0331racute=\u0155radic=\u221Araemptyv=\u29B3"
    "rang=\u27E9rangd=\u2992range=\u29A5rangle=\u27E9raquo \u00BBrarr=\u2192rarrap=\u2975"
    "rarrb=\u21E5rarrbfs=\u2920rarrc=\u2933rarrfs=\u291Erarrhk=\u21AArarrlp=\u21ACrarrpl=\u2945"
    "rarrsim=\u2974rarrtl=\u21A3rarrw=\u219Dratail=\u291Aratio=\u2236rationals=\u211Arbarr=\u290D"
    "rbbrk=\u2773rbrace=}rbrack=]rbrke=\u298Crbrksld=\u298Erbrkslu=\u2990rcaron=\u0159"
    "rcedil=\u0157rceil=\u2309rcub=}rcy=\u0440rdca=\u2937rdldhar=\u2969rdquo=\u201Drdquor=\u201D"
    "rdsh=\u21B3real=\u211Crealine=\u211Brealpart=\u211Creals=\u211Drect=\u25ADreg \u00AE"
    "rfisht=\u297Drfloor=\u230Brfr=\U0001D52Frhard=\u21C1rharu=\u21C0rharul=\u296Crho=\u03C1"
    "rhov=\u03F1rightarrow=\u2192rightarrowtail=\u21A3rightharpoondown=\u21C1rightharpoonup=\u21C0"
    "rightleftarrows=\u21C4rightleftharpoons=\u21CCrightrightarrows=\u21C9rightsquigarrow=\u219D"
    "rightthreetimes=\u22CCring=\u02DArisingdotseq=\u2253rlarr=\u21C4rlhar=\u21CCrlm=\u200F"
    "rmoust=\u23B1rmoustache=\u23B1rnmid=\u2AEEroang=\u27EDroarr=\u21FErobrk=\u27E7ropar=\u2986"
    "ropf=\U0001D563roplus=\u2A2Erotimes=\u2A35rpar=)rpargt=\u2994rppolint=\u2A12rrarr=\u21C9"
    "rsaquo=\u203Arscr=\U0001D4C7rsh=\u21B1rsqb=]rsquo=\u2019rsquor=\u2019rthree=\u22CC"
    "rtimes=\u22CArtri=\u25B9rtrie=\u22B5rtrif=\u25B8rtriltri=\u29CEruluhar=\u2968rx=\u211E"
    "sacute=\u015Bsbquo=\u201Asc=\u227BscE=\u2AB4scap=\u2AB8scaron=\u0161sccue=\u227Dsce=\u2AB0"
    "scedil=\u015Fscirc=\u015DscnE=\u2AB6scnap=\u2ABAscnsim=\u22E9scpolint=\u2A13scsim=\u227F"
    "scy=\u0441sdot=\u22C5sdotb=\u22A1sdote=\u2A66seArr=\u21D8searhk=\u2925searr=\u2198"
    "searrow=\u2198sect \u00A7semi=;seswar=\u2929setminus=\u2216setmn=\u2216sext=\u2736"
    "sfr=\U0001D530sfrown=\u2322sharp=\u266Fshchcy=\u0449shcy=\u0448shortmid=\u2223"
    "shortparallel=\u2225shy \u00ADsigma=\u03C3sigmaf=\u03C2sigmav=\u03C2sim=\u223Csimdot=\u2A6A"
    "sime=\u2243simeq=\u2243simg=\u2A9EsimgE=\u2AA0siml=\u2A9DsimlE=\u2A9Fsimne=\u2246"
    "simplus=\u2A24simrarr=\u2972slarr=\u2190smallsetminus=\u2216smashp=\u2A33smeparsl=\u29E4"
    "smid=\u2223smile=\u2323smt=\u2AAAsmte=\u2AACsmtes=\u2AAC\uFE00softcy=\u044Csol=/solb=\u29C4"
    "solbar=\u233Fsopf=\U0001D564spades=\u2660spadesuit=\u2660spar=\u2225sqcap=\u2293"
    "sqcaps=\u2293\uFE00sqcup=\u2294sqcups=\u2294\uFE00sqsub=\u228Fsqsube=\u2291sqsubset=\u228F"
    "sqsubseteq=\u2291sqsup=\u2290sqsupe=\u2292sqsupset=\u2290sqsupseteq=\u2292squ=\u25A1"
    "square=\u25A1squarf=\u25AAsquf=\u25AAsrarr=\u2192sscr=\U0001D4C8ssetmn=\u2216ssmile=\u2323"
    "sstarf=\u22C6star=\u2606starf=\u2605straightepsilon=\u03F5straightphi=\u03D5strns=\u00AF"
    "sub=\u2282subE=\u2AC5subdot=\u2ABDsube=\u2286subedot=\u2AC3submult=\u2AC1subnE=\u2ACB"
    "subne=\u228Asubplus=\u2ABFsubrarr=\u2979subset=\u2282subseteq=\u2286subseteqq=\u2AC5"
    "subsetneq=\u228Asubsetneqq=\u2ACBsubsim=\u2AC7subsub=\u2AD5subsup=\u2AD3succ=\u227B"
    "succapprox=\u2AB8succcurlyeq=\u227Dsucceq=\u2AB0succnapprox=\u2ABAsuccneqq=\u2AB6"
    "succnsim=\u22E9succsim=\u227Fsum=\u2211sung=\u266Asup=\u2283sup1 \u00B9sup2 \u00B2sup3 \u00B3"
    "supE=\u2AC6supdot=\u2ABEsupdsub=\u2AD8supe=\u2287supedot=\u2AC4suphsol=\u27C9suphsub=\u2AD7"
    "suplarr=\u297Bsupmult=\u2AC2supnE=\u2ACCsupne=\u228Bsupplus=\u2AC0supset=\u2283"
    "supseteq=\u2287supseteqq=\u2AC6supsetneq=\u228Bsupsetneqq=\u2ACCsupsim=\u2AC8supsub=\u2AD4"
    "supsup=\u2AD6swArr=\u21D9swarhk=\u2926swarr=\u2199swarrow=\u2199swnwar=\u292Aszlig \u00DF"
    "target=\u2316tau=\u03C4tbrk=\u23B4tcaron=\u0165tcedil=\u0163tcy=\u0442tdot=\u20DB"
    "telrec=\u2315tfr=\U0001D531there4=\u2234therefore=\u2234theta=\u03B8thetasym=\u03D1"
    "thetav=\u03D1thickapprox=\u2248thicksim=\u223Cthinsp=\u2009thkap=\u2248thksim=\u223C"
    "thorn \u00FEtilde=\u02DCtimes \u00D7timesb=\u22A0timesbar=\u2A31timesd=\u2A30tint=\u222D"
    "toea=\u2928top=\u22A4topbot=\u2336topcir=\u2AF1topf=\U0001D565topfork=\u2ADAtosa=\u2929"
    "tprime=\u2034trade=\u2122triangle=\u25B5triangledown=\u25BFtriangleleft=\u25C3"
    "trianglelefteq=\u22B4triangleq=\u225Ctriangleright=\u25B9trianglerighteq=\u22B5tridot=\u25EC"
    "trie=\u225Ctriminus=\u2A3Atriplus=\u2A39trisb=\u29CDtritime=\u2A3Btrpezium=\u23E2"
    "tscr=\U0001D4C9tscy=\u0446tshcy=\u045Btstrok=\u0167twixt=\u226Ctwoheadleftarrow=\u219E"
    "twoheadrightarrow=\u21A0uArr=\u21D1uHar=\u2963uacute \u00FAuarr=\u2191ubrcy=\u045E"
    "ubreve=\u016Ducirc \u00FBucy=\u0443udarr=\u21C5udblac=\u0171udhar=\u296Eufisht=\u297E"
    "ufr=\U0001D532ugrave \u00F9uharl=\u21BFuharr=\u21BEuhblk=\u2580ulcorn=\u231Culcorner=\u231C"
    "ulcrop=\u230Fultri=\u25F8umacr=\u016Buml \u00A8uogon=\u0173uopf=\U0001D566uparrow=\u2191"
    "updownarrow=\u2195upharpoonleft=\u21BFupharpoonright=\u21BEuplus=\u228Eupsi=\u03C5"
    "upsih=\u03D2upsilon=\u03C5upuparrows=\u21C8urcorn=\u231Durcorner=\u231Durcrop=\u230E"
    "uring=\u016Furtri=\u25F9uscr=\U0001D4CAutdot=\u22F0utilde=\u0169utri=\u25B5utrif=\u25B4"
    "uuarr=\u21C8uuml \u00FCuwangle=\u29A7vArr=\u21D5vBar=\u2AE8vBarv=\u2AE9vDash=\u22A8"
    "vangrt=\u299Cvarepsilon=\u03F5varkappa=\u03F0varnothing=\u2205varphi=\u03D5varpi=\u03D6"
    "varpropto=\u221Dvarr=\u2195varrho=\u03F1varsigma=\u03C2varsubsetneq=\u228A\uFE00"
    "varsubsetneqq=\u2ACB\uFE00varsupsetneq=\u228B\uFE00varsupsetneqq=\u2ACC\uFE00vartheta=\u03D1"
    "vartriangleleft=\u22B2vartriangleright=\u22B3vcy=\u0432vdash=\u22A2vee=\u2228veebar=\u22BB"
    "veeeq=\u225Avellip=\u22EEverbar=|vert=|vfr=\U0001D533vltri=\u22B2vnsub=\u2282\u20D2"
    "vnsup=\u2283\u20D2vopf=\U0001D567vprop=\u221Dvrtri=\u22B3vscr=\U0001D4CBvsubnE=\u2ACB\uFE00"
    "vsubne=\u228A\uFE00vsupnE=\u2ACC\uFE00vsupne=\u228B\uFE00vzigzag=\u299Awcirc=\u0175"
    "wedbar=\u2A5Fwedge=\u2227wedgeq=\u2259weierp=\u2118wfr=\U0001D534wopf=\U0001D568wp=\u2118"
    "wr=\u2240wreath=\u2240wscr=\U0001D4CCxcap=\u22C2xcirc=\u25EFxcup=\u22C3xdtri=\u25BD"
    "xfr=\U0001D535xhArr=\u27FAxharr=\u27F7xi=\u03BExlArr=\u27F8xlarr=\u27F5xmap=\u27FCxnis=\u22FB"
    "xodot=\u2A00xopf=\U0001D569xoplus=\u2A01xotime=\u2A02xrArr=\u27F9xrarr=\u27F6xscr=\U0001D4CD"
    "xsqcup=\u2A06xuplus=\u2A04xutri=\u25B3xvee=\u22C1xwedge=\u22C0yacute \u00FDyacy=\u044F"
    "ycirc=\u0177ycy=\u044Byen \u00A5yfr=\U0001D536yicy=\u0457yopf=\U0001D56Ayscr=\U0001D4CE"
    "yucy=\u044Eyuml \u00FFzacute=\u017Azcaron=\u017Ezcy=\u0437zdot=\u017Czeetrf=\u2128zeta=\u03B6"
    "zfr=\U0001D537zhcy=\u0436zigrarr=\u21DDzopf=\U0001D56Bzscr=\U0001D4CFzwj=\u200Dzwnj=\u200C";
// clang-format on

/* Where each of them begins; and where the last ends. */
const uint16_t weft__html_entity_at[HTML_ENTITIES + 1] = {
    // clang-format off
    0, 8, 13, 22, 31, 39, 45, 53, 62, 70, 78, 85, 93, 102, 119, 127, 136, 146, 155, 162, 175, 183,
    193, 199, 210, 224, 231, 239, 248, 256, 264, 274, 281, 288, 297, 304, 328, 339, 348, 357, 365,
    376, 383, 393, 405, 412, 418, 431, 446, 460, 475, 503, 528, 547, 556, 566, 579, 589, 608, 616,
    629, 664, 673, 682, 689, 699, 705, 717, 724, 731, 738, 748, 756, 765, 774, 780, 787, 795, 803,
    822, 839, 864, 882, 901, 912, 929, 938, 944, 954, 966, 991, 1003, 1022, 1041, 1065, 1082, 1105,
    1133, 1157, 1177, 1195, 1212, 1233, 1254, 1267, 1283, 1303, 1315, 1338, 1359, 1377, 1398, 1420,
    1439, 1461, 1472, 1488, 1501, 1510, 1519, 1525, 1531, 1540, 1549, 1557, 1563, 1570, 1578, 1587,
    1598, 1606, 1626, 1650, 1658, 1667, 1677, 1686, 1700, 1715, 1723, 1731, 1737, 1744, 1754, 1770,
    1776, 1784, 1805, 1830, 1839, 1849, 1863, 1871, 1878, 1882, 1890, 1899, 1908, 1917, 1925, 1931,
    1938, 1946, 1952, 1961, 1977, 1997, 2017, 2035, 2050, 2071, 2087, 2096, 2102, 2111, 2119, 2124,
    2132, 2139, 2155, 2163, 2181, 2189, 2198, 2214, 2227, 2234, 2242, 2249, 2258, 2266, 2272, 2279,
    2286, 2295, 2301, 2309, 2323, 2334, 2341, 2353, 2369, 2387, 2405, 2413, 2422, 2429, 2437, 2446,
    2454, 2461, 2469, 2475, 2483, 2492, 2501, 2510, 2518, 2525, 2532, 2540, 2549, 2555, 2563, 2572,
    2581, 2588, 2592, 2601, 2610, 2618, 2632, 2640, 2649, 2658, 2664, 2684, 2697, 2713, 2736, 2751,
    2772, 2793, 2811, 2832, 2845, 2863, 2882, 2893, 2909, 2926, 2942, 2961, 2982, 3002, 3021, 3037,
    3056, 3070, 3087, 3100, 3118, 3138, 3155, 3170, 3182, 3200, 3213, 3221, 3227, 3241, 3250, 3267,
    3289, 3307, 3324, 3346, 3364, 3373, 3391, 3410, 3418, 3425, 3434, 3440, 3447, 3453, 3468, 3481,
    3489, 3502, 3511, 3519, 3524, 3531, 3540, 3549, 3558, 3564, 3587, 3609, 3630, 3655, 3679, 3697,
    3706, 3714, 3725, 3744, 3752, 3759, 3775, 3788, 3812, 3826, 3838, 3857, 3870, 3884, 3903, 3928,
    3951, 3969, 3995, 4014, 4035, 4053, 4072, 4096, 4120, 4131, 4147, 4165, 4182, 4205, 4221, 4250,
    4273, 4288, 4310, 4335, 4356, 4376, 4401, 4426, 4447, 4471, 4494, 4520, 4536, 4554, 4569, 4591,
    4616, 4638, 4656, 4676, 4688, 4705, 4726, 4743, 4761, 4770, 4779, 4784, 4792, 4801, 4809, 4815,
    4824, 4832, 4841, 4849, 4857, 4867, 4876, 4900, 4918, 4924, 4933, 4942, 4951, 4961, 4968, 4979,
    4992, 5007, 5026, 5038, 5044, 5052, 5058, 5063, 5075, 5092, 5100, 5106, 5118, 5135, 5157, 5174,
    5183, 5194, 5208, 5224, 5233, 5239, 5245, 5253, 5261, 5270, 5279, 5285, 5294, 5302, 5310, 5320,
    5329, 5338, 5344, 5350, 5368, 5390, 5414, 5421, 5427, 5448, 5462, 5479, 5502, 5518, 5540, 5562,
    5581, 5603, 5617, 5629, 5646, 5664, 5681, 5701, 5723, 5744, 5764, 5781, 5801, 5816, 5834, 5848,
    5856, 5872, 5887, 5895, 5902, 5917, 5926, 5933, 5942, 5951, 5957, 5966, 5975, 5983, 5989, 5997,
    6015, 6033, 6052, 6068, 6076, 6091, 6100, 6108, 6118, 6140, 6156, 6177, 6195, 6218, 6233, 6242,
    6250, 6257, 6267, 6282, 6294, 6311, 6333, 6350, 6362, 6369, 6376, 6388, 6405, 6415, 6423, 6432,
    6440, 6447, 6452, 6458, 6467, 6476, 6482, 6490, 6503, 6511, 6528, 6541, 6550, 6564, 6582, 6596,
    6605, 6618, 6627, 6636, 6645, 6653, 6665, 6673, 6682, 6690, 6696, 6705, 6713, 6722, 6730, 6740,
    6754, 6770, 6790, 6799, 6812, 6820, 6829, 6840, 6854, 6874, 6889, 6906, 6915, 6929, 6940, 6955,
    6973, 6992, 6999, 7009, 7017, 7026, 7035, 7042, 7051, 7059, 7065, 7074, 7084, 7091, 7101, 7109,
    7124, 7138, 7159, 7176, 7193, 7201, 7210, 7219, 7229, 7237, 7246, 7254, 7263, 7272, 7280, 7285,
    7294, 7303, 7310, 7317, 7324, 7333, 7341, 7347, 7355, 7364, 7373, 7380, 7387, 7396, 7405, 7411,
    7418, 7436, 7443, 7450, 7458, 7467, 7476, 7485, 7491, 7500, 7507, 7515, 7523, 7529, 7537, 7543,
    7551, 7560, 7571, 7580, 7588, 7596, 7605, 7610, 7617, 7627, 7635, 7647, 7655, 7662, 7670, 7679,
    7689, 7701, 7713, 7725, 7737, 7749, 7761, 7773, 7785, 7794, 7805, 7817, 7827, 7835, 7846, 7854,
    7863, 7869, 7876, 7886, 7893, 7901, 7907, 7917, 7929, 7937, 7946, 7951, 7960, 7971, 7980, 7987,
    7999, 8008, 8016, 8028, 8042, 8055, 8066, 8079, 8089, 8099, 8111, 8119, 8131, 8140, 8146, 8155,
    8165, 8176, 8187, 8195, 8205, 8212, 8220, 8231, 8239, 8249, 8260, 8270, 8281, 8293, 8306, 8318,
    8329, 8348, 8365, 8377, 8387, 8399, 8409, 8425, 8440, 8457, 8478, 8499, 8521, 8530, 8539, 8548,
    8557, 8566, 8574, 8588, 8596, 8605, 8612, 8622, 8632, 8641, 8650, 8659, 8668, 8676, 8685, 8694,
    8703, 8712, 8721, 8730, 8739, 8748, 8756, 8765, 8774, 8783, 8792, 8801, 8810, 8820, 8829, 8838,
    8847, 8856, 8864, 8873, 8882, 8891, 8900, 8912, 8923, 8935, 8944, 8953, 8962, 8971, 8979, 8988,
    8997, 9006, 9015, 9024, 9033, 9043, 9051, 9060, 9069, 9078, 9086, 9095, 9101, 9110, 9122, 9130,
    9140, 9148, 9157, 9166, 9176, 9185, 9192, 9202, 9214, 9224, 9234, 9244, 9255, 9264, 9272, 9281,
    9290, 9299, 9307, 9316, 9327, 9334, 9342, 9353, 9360, 9372, 9380, 9387, 9396, 9409, 9415, 9422,
    9430, 9437, 9447, 9466, 9486, 9497, 9509, 9523, 9538, 9553, 9561, 9573, 9583, 9594, 9603, 9615,
    9622, 9632, 9643, 9650, 9658, 9666, 9676, 9690, 9703, 9711, 9722, 9732, 9741, 9751, 9758, 9768,
    9777, 9786, 9795, 9803, 9812, 9820, 9829, 9838, 9849, 9860, 9869, 9878, 9888, 9899, 9906, 9918,
    9928, 9938, 9948, 9957, 9968, 9978, 9989, 10004, 10019, 10031, 10045, 10054, 10072, 10091,
    10100, 10109, 10121, 10130, 10140, 10148, 10156, 10166, 10176, 10184, 10192, 10201, 10212,
    10220, 10229, 10235, 10241, 10252, 10261, 10272, 10278, 10286, 10297, 10307, 10315, 10324,
    10333, 10341, 10352, 10367, 10376, 10382, 10392, 10401, 10407, 10416, 10433, 10443, 10450,
    10460, 10470, 10478, 10487, 10493, 10502, 10514, 10526, 10537, 10550, 10568, 10581, 10599,
    10618, 10638, 10650, 10660, 10670, 10679, 10686, 10694, 10703, 10712, 10720, 10729, 10738,
    10747, 10758, 10765, 10777, 10786, 10794, 10803, 10813, 10822, 10830, 10838, 10848, 10854,
    10861, 10867, 10876, 10884, 10890, 10899, 10906, 10916, 10922, 10934, 10941, 10948, 10958,
    10966, 10975, 10987, 10997, 11005, 11015, 11025, 11031, 11039, 11047, 11056, 11064, 11074,
    11083, 11090, 11100, 11108, 11118, 11129, 11138, 11152, 11167, 11175, 11185, 11194, 11205,
    11217, 11226, 11235, 11243, 11252, 11260, 11266, 11272, 11279, 11287, 11293, 11302, 11317,
    11333, 11350, 11356, 11366, 11376, 11385, 11395, 11403, 11412, 11420, 11428, 11437, 11446,
    11453, 11462, 11472, 11480, 11489, 11501, 11510, 11520, 11529, 11539, 11549, 11559, 11569,
    11579, 11588, 11598, 11608, 11618, 11628, 11638, 11648, 11657, 11666, 11675, 11681, 11688,
    11697, 11705, 11714, 11721, 11730, 11738, 11744, 11751, 11757, 11764, 11771, 11779, 11791,
    11798, 11807, 11817, 11828, 11840, 11851, 11861, 11869, 11875, 11882, 11891, 11898, 11904,
    11911, 11918, 11925, 11932, 11940, 11952, 11959, 11967, 11976, 11985, 11994, 12001, 12009,
    12017, 12026, 12035, 12039, 12047, 12056, 12065, 12075, 12086, 12099, 12109, 12119, 12132,
    12146, 12157, 12167, 12183, 12194, 12202, 12212, 12219, 12229, 12238, 12246, 12257, 12266,
    12274, 12282, 12292, 12305, 12315, 12325, 12333, 12345, 12357, 12366, 12376, 12393, 12411,
    12420, 12430, 12439, 12449, 12458, 12468, 12478, 12487, 12493, 12501, 12507, 12514, 12522,
    12529, 12537, 12546, 12552, 12562, 12571, 12581, 12590, 12598, 12606, 12615, 12627, 12639,
    12647, 12655, 12663, 12669, 12679, 12688, 12700, 12709, 12716, 12726, 12738, 12750, 12762,
    12773, 12780, 12788, 12797, 12804, 12813, 12822, 12831, 12839, 12848, 12859, 12868, 12878,
    12887, 12893, 12902, 12910, 12917, 12925, 12931, 12939, 12947, 12956, 12965, 12974, 12982,
    12990, 12999, 13008, 13014, 13022, 13031, 13038, 13045, 13054, 13063, 13072, 13080, 13090,
    13099, 13105, 13112, 13120, 13129, 13141, 13151, 13160, 13168, 13177, 13187, 13194, 13202,
    13210, 13219, 13230, 13240, 13250, 13260, 13270, 13281, 13291, 13298, 13308, 13316, 13328,
    13337, 13346, 13354, 13362, 13371, 13382, 13393, 13402, 13411, 13420, 13426, 13432, 13440,
    13449, 13459, 13470, 13482, 13490, 13496, 13509, 13526, 13545, 13562, 13580, 13598, 13617,
    13638, 13661, 13679, 13686, 13693, 13701, 13713, 13720, 13729, 13739, 13750, 13762, 13773,
    13783, 13797, 13808, 13821, 13835, 13846, 13857, 13867, 13877, 13885, 13891, 13898, 13907,
    13916, 13926, 13935, 13942, 13948, 13957, 13969, 13979, 13988, 13997, 14007, 14021, 14028,
    14036, 14048, 14055, 14063, 14072, 14081, 14090, 14099, 14108, 14125, 14147, 14161, 14179,
    14196, 14214, 14223, 14232, 14242, 14253, 14263, 14271, 14278, 14289, 14297, 14303, 14313,
    14322, 14334, 14343, 14353, 14360, 14369, 14379, 14388, 14395, 14403, 14412, 14421, 14427,
    14436, 14446, 14455, 14459, 14467, 14476, 14485, 14495, 14505, 14515, 14526, 14536, 14544,
    14553, 14562, 14574, 14585, 14601, 14612, 14621, 14628, 14636, 14644, 14655, 14662, 14672,
    14686, 14700, 14712, 14722, 14732, 14738, 14747, 14764, 14772, 14779, 14787, 14794, 14802,
    14812, 14821, 14830, 14840, 14850, 14861, 14869, 14877, 14887, 14897, 14906, 14912, 14921,
    14931, 14936, 14948, 14957, 14966, 14976, 14986, 15000, 15019, 15028, 15038, 15048, 15063,
    15073, 15083, 15092, 15101, 15112, 15119, 15129, 15140, 15148, 15159, 15168, 15179, 15191,
    15198, 15209, 15221, 15229, 15238, 15247, 15256, 15270, 15278, 15284, 15293, 15299, 15308,
    15318, 15327, 15338, 15349, 15359, 15369, 15380, 15390, 15401, 15409, 15418, 15425, 15433,
    15444, 15459, 15469, 15478, 15485, 15493, 15502, 15511, 15520, 15526, 15533, 15541, 15548,
    15555, 15564, 15573, 15582, 15590, 15597, 15611, 15630, 15638, 15649, 15664, 15674, 15683,
    15692, 15699, 15708, 15718, 15726, 15735, 15741, 15750, 15762, 15776, 15787, 15798, 15809,
    15818, 15829, 15840, 15851, 15859, 15872, 15885, 15896, 15907, 15914, 15924, 15934, 15943,
    15956, 15965, 15974, 15986, 15998, 16013, 16022, 16032, 16039, 16049, 16059, 16068, 16081,
    16099, 16107, 16116, 16126, 16135, 16144, 16155, 16166, 16174, 16185, 16194, 16208, 16221,
    16237, 16246, 16259, 16267, 16278, 16287, 16301, 16314, 16330, 16338, 16347, 16355, 16372,
    16391, 16409, 16429, 16434, 16439, 16449, 16458, 16468, 16478, 16489, 16499, 16510, 16519,
    16530, 16540, 16551, 16560, 16574, 16584, 16598, 16610, 16619, 16629, 16638, 16649, 16659,
    16665, 16674, 16682, 16690, 16698, 16704, 16713, 16722, 16730, 16738, 16748, 16756, 16765,
    16773, 16780, 16789, 16796, 16805, 16811, 16819, 16828, 16837, 16848, 16857, 16864, 16872,
    16880, 16890, 16898, 16908, 16917, 16925, 16934, 16943, 16949, 16958, 16965, 16974, 16985,
    16992, 16999, 17009, 17017, 17028, 17035, 17043, 17052, 17060, 17069, 17079, 17091, 17098,
    17107, 17114, 17121, 17133, 17143, 17152, 17160, 17166, 17174, 17182, 17192, 17200, 17211,
    17219, 17225, 17232, 17242, 17251, 17256, 17269, 17275, 17285, 17296, 17306, 17312, 17324,
    17333, 17344, 17354, 17364, 17373, 17382, 17393, 17404, 17409, 17421, 17430, 17438, 17444,
    17451, 17459, 17468, 17475, 17483, 17497, 17512, 17522, 17537, 17549, 17561, 17572, 17581,
    17591, 17599, 17608, 17618, 17626, 17638, 17650, 17662, 17670, 17680, 17689, 17699, 17708,
    17714, 17724, 17732, 17740, 17749, 17759, 17768, 17783, 17794, 17801, 17812, 17818, 17827,
    17835, 17845, 17854, 17862, 17872, 17881, 17890, 17902, 17910, 17919, 17928, 17938, 17946,
    17954, 17964, 17973, 17984, 17993, 18003, 18013, 18023, 18033, 18044, 18054, 18063, 18073,
    18082, 18095, 18104, 18113, 18121, 18129, 18138, 18149, 18160, 18169, 18178, 18187, 18193,
    18199, 18207, 18218, 18227, 18237, 18245, 18253, 18264, 18276, 18285, 18293, 18299, 18309,
    18319, 18327, 18336, 18345, 18355, 18361, 18368, 18382, 18400, 18420, 18438, 18457, 18478,
    18498, 18517, 18536, 18543, 18559, 18568, 18577, 18584, 18594, 18608, 18617, 18626, 18635,
    18644, 18653, 18662, 18672, 18683, 18689, 18699, 18711, 18720, 18730, 18739, 18746, 18752,
    18761, 18771, 18781, 18791, 18799, 18808, 18817, 18829, 18840, 18846, 18855, 18864, 18870,
    18877, 18885, 18894, 18903, 18910, 18919, 18927, 18935, 18944, 18954, 18966, 18975, 18981,
    18989, 18998, 19007, 19016, 19026, 19035, 19046, 19053, 19059, 19069, 19081, 19090, 19098,
    19106, 19116, 19125, 19134, 19141, 19153, 19170, 19176, 19184, 19193, 19202, 19209, 19219,
    19227, 19236, 19244, 19253, 19261, 19270, 19279, 19290, 19301, 19310, 19327, 19337, 19349,
    19357, 19366, 19373, 19381, 19393, 19402, 19407, 19415, 19425, 19434, 19444, 19457, 19465,
    19474, 19487, 19496, 19509, 19518, 19528, 19540, 19554, 19563, 19573, 19585, 19599, 19606,
    19616, 19626, 19634, 19643, 19652, 19662, 19672, 19682, 19690, 19699, 19717, 19731, 19739,
    19746, 19754, 19764, 19772, 19783, 19794, 19803, 19812, 19823, 19834, 19844, 19856, 19869,
    19882, 19896, 19906, 19916, 19926, 19934, 19948, 19963, 19973, 19988, 20000, 20012, 20023,
    20030, 20038, 20045, 20052, 20059, 20066, 20074, 20084, 20095, 20103, 20114, 20125, 20136,
    20147, 20158, 20167, 20176, 20187, 20197, 20209, 20222, 20235, 20249, 20259, 20269, 20279,
    20288, 20298, 20307, 20318, 20328, 20336, 20346, 20352, 20360, 20369, 20378, 20384, 20392,
    20402, 20410, 20420, 20433, 20441, 20452, 20461, 20476, 20488, 20498, 20507, 20517, 20525,
    20533, 20541, 20551, 20563, 20573, 20581, 20589, 20596, 20606, 20616, 20625, 20636, 20644,
    20654, 20663, 20675, 20691, 20707, 20725, 20738, 20755, 20774, 20784, 20792, 20804, 20815,
    20824, 20835, 20847, 20856, 20863, 20871, 20880, 20889, 20909, 20930, 20938, 20946, 20955,
    20963, 20971, 20980, 20988, 20994, 21003, 21012, 21021, 21031, 21039, 21048, 21057, 21066,
    21075, 21085, 21097, 21107, 21116, 21124, 21130, 21138, 21147, 21158, 21173, 21190, 21208,
    21217, 21224, 21232, 21242, 21256, 21266, 21278, 21288, 21296, 21305, 21314, 21323, 21332,
    21340, 21349, 21358, 21365, 21376, 21384, 21392, 21401, 21410, 21420, 21433, 21444, 21458,
    21467, 21475, 21488, 21496, 21505, 21516, 21535, 21555, 21574, 21594, 21605, 21624, 21644,
    21650, 21659, 21666, 21676, 21685, 21695, 21703, 21709, 21717, 21726, 21738, 21750, 21759,
    21768, 21777, 21786, 21799, 21812, 21825, 21838, 21849, 21857, 21867, 21876, 21886, 21896,
    21904, 21913, 21919, 21925, 21935, 21944, 21952, 21961, 21969, 21978, 21986, 21995, 22004,
    22009, 22018, 22027, 22035, 22043, 22052, 22061, 22071, 22081, 22090, 22099, 22108, 22118,
    22128, 22137, 22145, 22155, 22164, 22171, 22179, 22185, 22191, 22199, 22206, 22215, 22224,
    22231, 22238, 22247, 22256, 22262, 22269, 22279, 22286, 22294, 22301, 22312, 22321, 22330,
    22337, 22345,
    // clang-format on
};
