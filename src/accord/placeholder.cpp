namespace muster {
extern const char placeholder_accord = 0;
}
